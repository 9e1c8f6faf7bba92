"""Builds and queries the text index, FTS5 and tantivy alternately; see `text`."""
import json, os, re, select, shutil, statistics, subprocess, sys, time

# A later run in the same directory continues the round numbers, so that each side goes first equally often.
textbench, work, rounds, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
here = os.path.dirname(os.path.abspath(__file__))
peers_directory = work + "/peers"
try:
    with open(work + "/rounds") as file: before = int(file.read())
except OSError:
    before = 0


def run(*command):
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode != 0: sys.exit(f"text: {' '.join(command)}\n{process.stdout}{process.stderr}")
    return process.stdout


def peers(*arguments): return run(sys.executable, here + "/text-peers", *arguments)


def line(operation, unit, peer, ours, theirs):
    ratios = [b / a for a, b in zip(ours, theirs)]
    return {"operation": operation, "unit": unit, "peerName": peer, "ours": statistics.median(ours),
            "peer": statistics.median(theirs), "ratio": statistics.median(ratios), "low": min(ratios),
            "high": max(ratios), "rounds": [{"ours": a, "peer": b} for a, b in zip(ours, theirs)]}


def show(entry):
    spread = f"({entry['low']:.2f} to {entry['high']:.2f})" if len(entry["rounds"]) > 1 else "(once)"
    print(f"{entry['operation']:34}{entry['unit']:5}{entry['peerName']:8}{entry['ours']:11.2f}{entry['peer']:11.2f}"
          f"{entry['ratio']:9.2f} {spread}", flush=True)


lines = []


def add(operation, unit, peer, ours, theirs):
    if min(ours + theirs) <= 0:
        print(f"{operation}, {peer}: skipped, nothing was seen of it")
        return
    lines.append(line(operation, unit, peer, ours, theirs))
    show(lines[-1])


def own_memory(pid):
    """Private memory in bytes, without mapped files, which the system can reclaim."""
    try:
        with open(f"/proc/{pid}/status") as file: found = re.search(r"RssAnon:\s+(\d+)", file.read())
        return int(found[1]) << 10 if found else 0
    except OSError:
        return 0


def peer_build(peer):
    """The peer's report of its build, and the bytes of memory that the build took."""
    process = subprocess.Popen([sys.executable, here + "/text-peers", "build", peer, work + "/records.jsonl", peers_directory],
                               stdout=subprocess.PIPE, encoding="utf-8")
    process.stdout.readline()
    before = peak = own_memory(process.pid)
    # Until it reports that the index is built. Determining the size is not measured.
    while not select.select([process.stdout], [], [], 0.01)[0]: peak = max(peak, own_memory(process.pid))
    answer = process.stdout.read()
    if process.wait() != 0: sys.exit(f"text: {peer} failed\n{answer}")
    return json.loads(answer), max(0, peak - before)


# Each DocIndex build has a separate store without the index. It reads the same records that FTS5 is given.
versions = json.loads(peers("list"))
if "tantivy" not in versions: print("tantivy: skipped, it is not installed")
print(f"\n{'operation':34}{'':5}{'peer':8}{'ours':>11}{'peer':>11}{'ratio':>9} (low to high)")
plain = work + "/plain"
shutil.rmtree(plain, ignore_errors=True)
run(textbench, "--load", work + "/records.jsonl", plain)
built, read, taken, theirs, theirs_taken, sizes = [], [], [], {}, {}, {}
for number in range(before, before + rounds):
    def ours():
        shutil.rmtree(work + "/built", ignore_errors=True)
        shutil.copytree(plain, work + "/built")
        # Flushes pending disk writes, so that they are not measured.
        os.sync()
        text = run(textbench, "--build", work + "/built")
        read.append(float(re.search(r"all documents read in ([\d.e-]+) s", text)[1]))
        seconds = re.search(r"index built from stored documents in ([\d.e-]+) s.*made one segment\s+in ([\d.e-]+) s", text)
        built.append(float(seconds[1]) + float(seconds[2]))
        memory = re.search(r"without mapped files (\d+) MiB, of which (\d+) MiB were taken before", text)
        taken.append(max(1, int(memory[1]) - int(memory[2])) * 1.048576)

    def others():
        for peer in versions:
            os.sync()
            entry, memory = peer_build(peer)
            theirs.setdefault(peer, []).append(entry["seconds"])
            theirs_taken.setdefault(peer, []).append(memory / 1e6)
            sizes[peer] = entry["bytes"]
    for side in [ours, others] if number % 2 == 0 else [others, ours]: side()
size = int(re.search(r"text (\d+) bytes", open(work + "/ours").read())[1])
for peer in theirs:
    add("build, one segment", "s", peer, built, theirs[peer])
    add("the same without reading", "s", peer, [max(a - b, 1e-9) for a, b in zip(built, read)], theirs[peer])
    add("memory that a build takes", "MB", peer, taken, theirs_taken[peer])
    if before == 0: add("size of the index", "MB", peer, [size / 1e6], [sizes[peer] / 1e6])

print(peers("check", work + "/queries", peers_directory, work + "/agreed"), end="")


class Asked:
    """A process that answers queries until its input is closed."""

    def __init__(self, name, *command):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def microseconds(self, kind, text):
        self.process.stdin.write((text if self.name == "ours" else f"{kind}\t{text}") + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer: sys.exit(f"text: {self.name} ended at {text}")
        return float(answer)

    def end(self):
        self.process.stdin.close()
        if self.process.wait() != 0: sys.exit(f"text: {self.name} failed")


# Query by query, so that disturbances affect all sides. All indexes are newly built. Processes are new in each round,
# because their memory layout is random and stays the same while they run.
with open(work + "/agreed", encoding="utf-8") as file:
    queries = [line.rstrip("\n").split("\t")[:2] for line in file]
medians = []
for number in range(before, before + rounds):
    times = {}
    asked = [Asked("ours", textbench, "--answer", work + "/built")]
    asked += [Asked(peer, sys.executable, here + "/text-peers", "answer", peer, peers_directory) for peer in theirs]
    for kind, text in queries:
        for process in asked if number % 2 == 0 else reversed(asked):
            microseconds = process.microseconds(kind, text)
            times.setdefault((process.name, kind), []).append(microseconds)
            times.setdefault((process.name, "all"), []).append(microseconds)
    for process in asked: process.end()
    medians.append({key: statistics.median(own) for key, own in times.items()})

# Updates the store that was just queried, and SQLite's documents with a separate index. tantivy stores no documents, and is
# designed for batches.
updated, updater = [], subprocess.Popen(
    [sys.executable, here + "/text-peers", "update", work + "/records.jsonl", peers_directory, "10000"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
updater.stdout.readline()
for number in range(before, before + rounds):
    def ours():
        text = run(textbench, "--update", work + "/built", "10000")
        found = re.search(r"closing and opening included: ([\d.]+) us, (\d+) bytes", text)
        return float(found[1]), float(found[2])

    def fts5():
        updater.stdin.write("\n")
        updater.stdin.flush()
        answer = json.loads(updater.stdout.readline() or sys.exit("text: updates of FTS5 failed"))
        return answer["microseconds"], answer["bytes"]
    both = {}
    for side in [ours, fts5] if number % 2 == 0 else [fts5, ours]:
        os.sync()
        both[side.__name__] = side()
    updated.append((both["ours"], both["fts5"]))
updater.stdin.close()
if updater.wait() != 0: sys.exit("text: updates of FTS5 failed")
for position, (operation, unit) in enumerate([("update a word of a document", "µs"), ("bytes written for it", "bytes")]):
    add(operation, unit, "FTS5", [a[position] for a, _ in updated], [b[position] for _, b in updated])
with open(work + "/rounds", "w") as file: file.write(str(before + rounds))
for peer in theirs:
    for kind in sorted({kind for _, kind in medians[0]} - {"all"}) + ["all"]:
        add(f"ten best, {kind}", "µs", peer, [m["ours", kind] for m in medians], [m[peer, kind] for m in medians])
if out != "/dev/null":
    with open(out, "w") as file: json.dump({"program": "text", "versions": list(versions.values()), "lines": lines}, file)
