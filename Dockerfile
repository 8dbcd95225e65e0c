# docker build -t atomexam . && docker run atomexam: the commands of README.md. A browser and Chinese fonts are for tests of the report.
FROM python:3.12-bookworm
RUN apt-get update && apt-get install -y --no-install-recommends chromium fonts-noto-cjk && rm -rf /var/lib/apt/lists/*
WORKDIR /atomexam
COPY . .
RUN make setup-dev
CMD ["bash", "-c", "make repro && make test && make show"]
