"""Compares lkrepl with ldb, sqlite3 and plyvel; see `shellbench`."""
import importlib.metadata, importlib.util, json, os, random, re, resource, shutil, statistics, subprocess, sys, tempfile
import threading, time


def option(name):
    """The path after an option; None without the option."""
    if name not in sys.argv: return None
    path = os.path.abspath(sys.argv.pop(sys.argv.index(name) + 1))
    sys.argv.remove(name)
    return path


out, kept = option("--json"), option("--place")
lkrepl = os.path.abspath(sys.argv[1])
photos = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Examples/photos")
records = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
wanted = sys.argv[4].split(",") if len(sys.argv) > 4 else None
if kept: os.makedirs(kept, exist_ok=True)
place = kept or tempfile.mkdtemp(prefix="shellbench-")
os.chdir(place)
has_plyvel = importlib.util.find_spec("plyvel") is not None

STARTS = 3
PLYVEL_DUMP = """
import json, plyvel, sys
for k, v in plyvel.DB("ours.db"): sys.stdout.write(json.dumps({"k": k.decode(), "v": v.decode()}) + "\\n")
"""
PLYVEL_LOAD = """
import json, plyvel
db = plyvel.DB("plyvel.new", create_if_missing=True); batch = db.write_batch()
for n, line in enumerate(open("plain.jsonl")):
    r = json.loads(line); batch.put(r["k"].encode(), r["v"].encode())
    if n % 1000 == 999: batch.write(); batch = db.write_batch()
batch.write(); db.close()
"""


def private_memory(pid, stop, result):
    """Measures the peak private memory in kB, without the tables that LevelDB maps, which belong to the page cache."""
    while not stop.is_set():
        try:
            for line in open(f"/proc/{pid}/status"):
                if line.startswith("RssAnon"):
                    result[0] = max(result[0], int(line.split()[1]))
        except OSError:
            return
        stop.wait(0.005)


def run(command, remove=()):
    """Seconds and private kB of one run."""
    for path in remove:
        shutil.rmtree(path, ignore_errors=True)
        if os.path.isfile(path): os.remove(path)
    # Flushes pending disk writes, so that they are not measured.
    os.sync()
    stop, result = threading.Event(), [0]
    start = time.perf_counter()
    process = subprocess.Popen(command, shell=True, stderr=subprocess.PIPE)
    watcher = threading.Thread(target=private_memory, args=(process.pid, stop, result))
    watcher.start()
    errors = process.communicate()[1]
    seconds = time.perf_counter() - start
    stop.set(); watcher.join()
    if process.returncode != 0: sys.exit(f"{command}: code {process.returncode}\n{errors.decode()[-500:]}")
    return seconds, result[0]


def prepare():
    """Creates the inputs: the same records as text and in a database of each program."""
    random.seed(1)
    # Values are parts of one long random string, so that no block of a table repeats one.
    text = "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789 ", k=4 << 20))
    with open("plain.jsonl", "w") as plain, open("hex.ldb", "w") as ldb:
        for number in range(records):
            start = random.randrange(len(text) - 86)
            key, value = f"photo/{number:08d}", text[start:start + 86]
            plain.write(f'{{"k":"{key}","v":"{value}"}}\n')
            ldb.write(f"0x{key.encode().hex().upper()} ==> 0x{value.encode().hex().upper()}\n")
    run(f"exec {lkrepl} load --create ours.db plain.jsonl -q", ("ours.db",))
    run(f"exec {lkrepl} dump ours.db -o ours.lkd -q", ("ours.lkd",))
    if shutil.which("ldb"):
        run("ldb load --hex --create_if_missing --db=rocks.db < hex.ldb > /dev/null", ("rocks.db",))
    if shutil.which("sqlite3"):
        import sqlite3
        if os.path.exists("plain.sqlite"): os.remove("plain.sqlite")
        database = sqlite3.connect("plain.sqlite")
        database.execute("CREATE TABLE kv (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID")
        database.executemany(
            "INSERT INTO kv VALUES (?, ?)", ((r["k"], r["v"]) for r in map(json.loads, open("plain.jsonl"))))
        database.commit(); database.close()
        run("sqlite3 plain.sqlite .dump > plain.sql")
    if has_plyvel:
        open("pdump.py", "w").write(PLYVEL_DUMP); open("pload.py", "w").write(PLYVEL_LOAD)


def commands():
    """For each operation: program, command, created files. lkrepl comes first."""
    # Several starts of the program, each of which opens the database and reads one record.
    def started(command): return f"for start in {' '.join(map(str, range(STARTS)))}; do {command} || exit; done > /dev/null"
    cases = {
        "start": [("lkrepl", started(f"{lkrepl} first ours.db"), ())],
        "count": [("lkrepl", f"exec {lkrepl} count ours.db > /dev/null", ())],
        "keys": [("lkrepl", f"exec {lkrepl} scan ours.db --keys > keys", ())],
        "dump": [("lkrepl", f"exec {lkrepl} dump ours.db -q > dumped", ())],
        "load": [("lkrepl", f"exec {lkrepl} load --create new.db ours.lkd -q", ("new.db",))],
    }
    if subprocess.run([lkrepl, "digest", "--help"], capture_output=True).returncode == 0:
        cases["digest"] = [("lkrepl", f"exec {lkrepl} digest ours.db > /dev/null", ())]
    if shutil.which("ldb"):
        cases["start"].append(("ldb", started("ldb scan --max_keys=1 --db=rocks.db"), ()))
        cases["count"].append(("ldb", "exec ldb dump --count_only --db=rocks.db > /dev/null", ()))
        cases["keys"].append(("ldb", "exec ldb scan --no_value --db=rocks.db > keys", ()))
        cases["dump"].append(("ldb", "exec ldb dump --hex --db=rocks.db > dumped", ()))
        cases["load"].append(
            ("ldb", "exec ldb load --hex --create_if_missing --db=rocks.new < hex.ldb > /dev/null", ("rocks.new",)))
    if shutil.which("sqlite3"):
        cases["start"].append(("sqlite3", started("sqlite3 plain.sqlite 'SELECT * FROM kv LIMIT 1'"), ()))
        cases["count"].append(("sqlite3", "exec sqlite3 plain.sqlite 'SELECT count(*) FROM kv' > /dev/null", ()))
        cases["keys"].append(("sqlite3", "exec sqlite3 plain.sqlite 'SELECT k FROM kv' > keys", ()))
        cases["dump"].append(("sqlite3", "exec sqlite3 plain.sqlite .dump > dumped", ()))
        cases["load"].append(("sqlite3", "exec sqlite3 new.sqlite < plain.sql", ("new.sqlite",)))
        if "digest" in cases:
            cases["digest"].append(("sqlite3", "exec sqlite3 plain.sqlite .sha3sum > /dev/null", ()))
    if has_plyvel:
        cases["dump"].append(("plyvel", f"exec {sys.executable} pdump.py > dumped", ()))
        cases["load"].append(("plyvel", f"exec {sys.executable} pload.py", ("plyvel.new",)))
    return {name: programs for name, programs in cases.items() if not wanted or name in wanted}


def processor_times(starts):
    """For the shortest commands: milliseconds of processor time of each start, of lkrepl and of sqlite3 in turns."""
    import sqlite3
    shutil.rmtree("photos.store", ignore_errors=True)
    if os.path.exists("photos.sqlite"): os.remove("photos.sqlite")
    run(f"{lkrepl} init photos.store -q --schema {photos}/schema.json")
    run(f"{lkrepl} import --write -q photos.store photos {photos}/photos.jsonl")
    database = sqlite3.connect("photos.sqlite")
    database.execute("CREATE TABLE photos (id TEXT PRIMARY KEY, body TEXT)")
    lines = open(f"{photos}/photos.jsonl").read().splitlines()
    database.executemany("INSERT INTO photos VALUES (?, ?)", ((json.loads(line)["id"], line) for line in lines))
    database.commit(); database.close()

    def milliseconds(*command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)

    cases = {
        "processor time of --version": ([lkrepl, "--version"], ["sqlite3", "--version"]),
        "processor time of a count of 301": (
            [lkrepl, "find", "photos.store", "photos", "--count"],
            ["sqlite3", "photos.sqlite", "SELECT count(*) FROM photos"]),
    }
    for name, (ours, peer) in cases.items():
        pairs = [(milliseconds(*ours), milliseconds(*peer)) for _ in range(starts)]
        yield name, [ours for ours, _ in pairs], [peer for _, peer in pairs]


def prepared():
    """The records and programs that a directory was prepared for."""
    return [records, lkrepl, shutil.which("ldb"), shutil.which("sqlite3"), has_plyvel]


def versions():
    """Name and version of each other installed program."""
    found = []
    for name in ["ldb", "sqlite3"]:
        if not shutil.which(name): continue
        text = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
        number = re.search(r"\d+(\.\d+)+", text)
        label = {"ldb": "RocksDB", "sqlite3": "SQLite"}[name]
        found.append(f"{label} {number[0]}" if number else label)
    if has_plyvel:
        try: found.append("plyvel " + importlib.metadata.version("plyvel"))
        except importlib.metadata.PackageNotFoundError: found.append("plyvel of unknown version")
    return found


def read_inputs():
    """Reads all inputs, so that caches are warm for the first program too."""
    for directory, _, names in os.walk("."):
        for name in names:
            with open(os.path.join(directory, name), "rb") as file:
                while file.read(1 << 20): pass


def rounds_before():
    """The number of earlier rounds in this directory; None if it was not prepared for these records and programs."""
    try:
        with open("rounds.json") as file: state = json.load(file)
    except OSError:
        return None
    return state["rounds"] if state["prepared"] == prepared() else None


def main():
    before = rounds_before()
    if before is None:
        prepare()
        before = 0
    cases = commands()
    read_inputs()
    print(f"{records:,} records of 100 bytes, {rounds} interleaved rounds, medians\n")
    print(f"{'':8}{'program':10}{'seconds':>9}{'ratio':>8}{'private MB':>12}")
    times = {(name, program): [] for name, programs in cases.items() for program, _, _ in programs}
    memory = {case: [] for case in times}
    # Interleaved rounds, so that the spread includes the drift of the machine; the first program alternates.
    for number in range(before, before + rounds):
        for name, programs in cases.items():
            for program, command, made in programs if number % 2 == 0 else reversed(programs):
                seconds, kilobytes = run(command, made)
                times[name, program].append(seconds / STARTS if name == "start" else seconds)
                memory[name, program].append(kilobytes * 1024 / 1e6)
    with open("rounds.json", "w") as file: json.dump({"rounds": before + rounds, "prepared": prepared()}, file)
    lines = []

    def add(name, unit, program, ours, peer):
        ratios = [theirs / own for own, theirs in zip(ours, peer)]
        lines.append({"operation": name, "unit": unit, "peerName": program, "ours": statistics.median(ours),
                      "peer": statistics.median(peer), "ratio": statistics.median(ratios), "low": min(ratios),
                      "high": max(ratios), "rounds": [{"ours": own, "peer": theirs} for own, theirs in zip(ours, peer)]})

    if shutil.which("sqlite3") and not wanted:
        for name, ours, peer in processor_times(starts=50):
            # The medians, because one start is as short as the clock's steps.
            add(name, "ms", "sqlite3", [statistics.median(ours)], [statistics.median(peer)])
            print(f"{name}: lkrepl {statistics.median(ours):.1f} ms, sqlite3 {statistics.median(peer):.1f} ms")
    for (name, program), taken in times.items():
        ours, median = times[name, "lkrepl"], statistics.median(taken)
        private = max(memory[name, program])
        print(f"{name:8}{program:10}{median:9.3f}{median / statistics.median(ours):8.2f}"
              + (f"{private:12.1f}" if name != "start" else ""), flush=True)
        if program == "lkrepl": continue
        if name == "start":
            add("start and read the first record", "ms", program, [s * 1e3 for s in ours], [s * 1e3 for s in taken])
            continue
        add(name, "s", program, ours, taken)
        # The memory of a program that ends within a few milliseconds may be missed.
        own, theirs = memory[name, "lkrepl"], memory[name, program]
        if name in ["dump", "load"] and records >= 100_000 and min(own + theirs) > 0: add(f"{name}, memory", "MB", program, own, theirs)
    for program in ["ldb", "sqlite3", "plyvel"]:
        if program not in {line["peerName"] for line in lines}: print(f"{program}: skipped, it is not installed")
    if out:
        # Grouped by program, as in the table.
        lines.sort(key=lambda line: line["peerName"])
        with open(out, "w") as file:
            json.dump({"program": "shellbench", "versions": versions(), "lines": lines}, file)


try:
    main()
finally:
    os.chdir("/")
    if not kept: shutil.rmtree(place, ignore_errors=True)
