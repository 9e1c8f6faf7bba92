#!/usr/bin/env python3
"""Gives every photo from before 2000 the keyword "archive": dump, change, load. Usage: change-documents.py STORE"""
import json, subprocess, sys

dump = subprocess.Popen(["lkrepl", "dump", sys.argv[1], "-q"], stdout=subprocess.PIPE)
records = [json.loads(line) for line in dump.stdout]  # all of it first: one process at a time has the store
if dump.wait() != 0 or not records[-1]["end"]["complete"]: sys.exit("the dump is not whole")
load = subprocess.Popen(["lkrepl", "load", "--write", sys.argv[1], "-"], stdin=subprocess.PIPE)
for photo in (record["doc"] for record in records if "doc" in record):
    if isinstance(photo.get("year"), int) and photo["year"] < 2000:
        photo["keywords"] = photo.get("keywords", []) + ["archive"]
        load.stdin.write(json.dumps({"c": "photos", "id": photo["id"], "doc": photo}).encode() + b"\n")
load.stdin.close()
sys.exit(load.wait())
