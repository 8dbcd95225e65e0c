"""The ground floor: what all packages build on, and the command `atomexam`."""
