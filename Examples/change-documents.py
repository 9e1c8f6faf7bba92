#!/usr/bin/env python3
"""Adds the keyword "archive" to every photo from before 2000: dump, change, load. Usage: change-documents.py STORE"""
import json, subprocess, sys

dump = subprocess.Popen(["lkrepl", "dump", sys.argv[1], "-q"], stdout=subprocess.PIPE)
records = [json.loads(line) for line in dump.stdout]  # read all of it first: only one process can open the store
if dump.wait() != 0 or not records[-1]["end"]["complete"]: sys.exit("the dump is incomplete")
load = subprocess.Popen(["lkrepl", "load", "--write", sys.argv[1], "-"], stdin=subprocess.PIPE)
for photo in (record["doc"] for record in records if "doc" in record):
    if isinstance(photo.get("year"), int) and photo["year"] < 2000:
        photo["keywords"] = photo.get("keywords", []) + ["archive"]
        load.stdin.write(json.dumps({"c": "photos", "id": photo["id"], "doc": photo}).encode() + b"\n")
load.stdin.close()
sys.exit(load.wait())
