"""The ground floor: what all packages stand on, and the command `atomexam`."""
