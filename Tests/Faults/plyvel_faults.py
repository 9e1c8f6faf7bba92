"""Shows how plyvel behaves in each fault of docs/FAULTS.md.

    python3 plyvel_faults.py

prints a line for each fault: its number, a tab, and the observation. Each fault runs in a separate child process and
directory, so that a crash or a hang is an ordinary observation.
"""

import glob
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import plyvel


def kind(body):
    """Returns the kind of exception that `body` raises."""
    try:
        body()
    except Exception as error:
        return type(error).__name__
    return "no error"


def key(number):
    return b"key%06d" % number


def value(number):
    return b"value %d of many;" % number + b"\7" * 80


TABLE = dict(compression=None, block_size=1024, bloom_filter_bits=10)


def open_table():
    return plyvel.DB("db", **TABLE)


def make_table(count, path="db"):
    database = plyvel.DB(path, create_if_missing=True, **TABLE)
    for number in range(count):
        database.put(key(number), value(number))
    database.compact_range(start=b"", stop=b"\xff")
    database.close()


def tables(path="db"):
    return sorted(glob.glob(path + "/*.ldb"))


def damage(number):
    bytes = bytearray(open(tables()[0], "rb").read())
    bytes[bytes.index(value(number)) + 30] ^= 0x10
    open(tables()[0], "wb").write(bytes)


def read_numbered(database, total):
    right = wrong = missing = errors = 0
    for number in range(total):
        try:
            found = database.get(key(number))
        except Exception:
            errors += 1
            continue
        if found is None:
            missing += 1
        elif found == value(number):
            right += 1
        else:
            wrong += 1
    if right == total:
        return "all found"
    parts = [f"{right} of {total} right"]
    if wrong:
        parts.append(f"{wrong} wrong without an error")
    if missing:
        parts.append(f"{missing} None without an error")
    if errors:
        parts.append(f"{errors} errors")
    return ", ".join(parts)


def scan(database, **options):
    """Returns how many entries a loop visits, and how it ends."""
    count = 0
    try:
        for _ in database.iterator(**options):
            count += 1
    except Exception as error:
        return count, type(error).__name__
    return count, "no error"


def another_process_opens():
    return subprocess.run([sys.executable, __file__, "--open", "db"], stderr=subprocess.DEVNULL).returncode == 0


def empty(say):
    database = plyvel.DB("db", create_if_missing=True)
    database.put(b"", b"")
    say("found" if database.get(b"") == b"" else "not found")


def missing_table(say):
    make_table(200)
    database = open_table()
    for path in tables():
        os.unlink(path)
    say(read_numbered(database, 200))


def missing_parent(say):
    say(kind(lambda: plyvel.DB("a/b/db", create_if_missing=True)))


def close_under_iterator(say):
    database = plyvel.DB("db", create_if_missing=True)
    database.put(b"a", b"1")
    iterator = database.iterator()
    say(kind(database.close) + ", then " + kind(lambda: next(iterator)))


def use_after_close(say):
    database = plyvel.DB("db", create_if_missing=True)
    database.close()
    say(kind(lambda: database.get(b"a")))


def snapshot_after_close(say):
    database = plyvel.DB("db", create_if_missing=True)
    snapshot = database.snapshot()
    database.close()
    say(kind(lambda: snapshot.get(b"a")))
    del snapshot


def step_behind_end(say):
    database = plyvel.DB("db", create_if_missing=True)
    database.put(b"a", b"1")
    iterator = database.iterator()
    for _ in range(3):
        next(iterator, None)
    say("stays at the end")


def close_under_compaction(say):
    for _ in range(10):
        database = plyvel.DB("db", create_if_missing=True)
        for number in range(2000):
            database.put(key(number), b"\1" * 500)

        def compact():
            while True:
                database.compact_range(start=b"", stop=b"\xff")

        thread = threading.Thread(target=compact, daemon=True)
        thread.start()
        time.sleep(0.002)
        database.close()
        time.sleep(0.02)
    say("closes")


def second_spelling(say):
    os.mkdir("a")
    first = plyvel.DB("db", create_if_missing=True)
    try:
        second = plyvel.DB("a/../db")
    except Exception as error:
        return say(type(error).__name__)
    first.put(b"a", b"1")
    second.put(b"b", b"2")
    say("two handles of one database")


def second_then_process(say):
    database = plyvel.DB("db", create_if_missing=True)
    say(kind(lambda: plyvel.DB("db")) + "; ")
    say("then another process opens it as well" if another_process_opens() else "other processes are kept out")
    database.put(b"a", b"1")


def open_missing(say):
    say(kind(lambda: plyvel.DB("db")))
    if os.path.exists("db"):
        say(", leaves a directory with " + " ".join(sorted(os.listdir("db"))))


def refused_by_process(say):
    database = plyvel.DB("db", create_if_missing=True)
    database.put(b"a", b"1")
    if another_process_opens():
        return say("opens")
    say("error" + (", the holder's LOG is renamed to LOG.old" if os.path.exists("db/LOG.old") else ""))


def forged_current(say):
    make_table(100)
    open("db/CURRENT", "w").write("MANIFEST-000099\n")
    say(kind(lambda: plyvel.DB("db", create_if_missing=True)))
    say(", the table stays" if tables() else ", the table is deleted")


def lost_current(say):
    make_table(100)
    os.unlink("db/CURRENT")
    try:
        database = plyvel.DB("db", create_if_missing=True)
        say(f"opens with {scan(database)[0]} of 100 entries")
    except Exception as error:
        say(type(error).__name__)
    say(", the table stays" if tables() else ", the table is deleted")


def open_foreign(say):
    for name in ("notes.txt", "000012.ldb"):
        open(name, "w").write("mine")
    say(kind(lambda: plyvel.DB(".", create_if_missing=True)).replace("no error", "makes a database among them"))
    if not os.path.exists("000012.ldb"):
        say(", a file 000012.ldb is deleted")


def relative_path(say):
    make_table(200)
    database = open_table()
    os.chdir("/")
    say(read_numbered(database, 200))


def nul_in_path(say):
    try:
        plyvel.DB("db\0x", create_if_missing=True)
    except Exception as error:
        return say(type(error).__name__)
    say("opens another database: the path ends there" if os.path.exists("db") else "opens")


def full_disk(say):
    database = plyvel.DB("db", create_if_missing=True)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100000, hard))
    number = 0
    while kind(lambda: database.put(key(number), b"\1" * 1000, sync=True)) == "no error":
        number += 1
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    later = range(1000, 1200)
    accepted = sum(kind(lambda: database.put(key(n), b"\1" * 1000, sync=True)) == "no error" for n in later)
    database.close()
    database = plyvel.DB("db")
    found = sum(database.get(key(n)) is not None for n in later)
    say(f"{found} of {accepted} acknowledged writes are there")


def damaged_log(say):
    database = plyvel.DB("db", create_if_missing=True)
    for number in range(5000):
        database.put(key(number), b"\7" * 100)
    database.close()
    log = sorted(glob.glob("db/*.log"))[-1]
    bytes = bytearray(open(log, "rb").read())
    bytes[len(bytes) // 2 + 5000] ^= 1
    open(log, "wb").write(bytes)
    database = plyvel.DB("db")
    count, end = scan(database)
    last = ", the last among them" if database.get(key(4999)) else ""
    say(f"{count} of 5,000 entries{last}, {end}")


def cut_log(say):
    database = plyvel.DB("db", create_if_missing=True)
    for number in range(100):
        database.put(key(number), b"7")
    database.close()
    log = sorted(glob.glob("db/*.log"))[-1]
    os.truncate(log, os.path.getsize(log) - 5)
    count, end = scan(plyvel.DB("db"))
    say(f"{count} of 99 entries, {end}")


def scan_damaged(say):
    make_table(20000)
    damage(19999)
    database = open_table()
    count, end = scan(database)
    say(f"{count} of 20,000 entries, one of them wrong, {end}; ")
    count, end = scan(database, verify_checksums=True)
    say(f"with verify_checksums {count}, {end}")


def get_damaged(say):
    make_table(200)
    damage(100)
    say(read_numbered(open_table(), 200))


def damaged_filter(say):
    make_table(200)
    bytes = bytearray(open(tables()[0], "rb").read())
    place = bytes.index(value(199)) + len(value(199)) + 20
    bytes[place:place + 150] = b"\0" * 150
    open(tables()[0], "wb").write(bytes)
    say(read_numbered(open_table(), 200))


def compact_damage(say):
    make_table(200)
    damage(100)
    database = open_table()
    for number in (0, 199):
        database.put(key(number), b"1")
    database.compact_range(start=b"", stop=b"\xff")
    try:
        found = database.get(key(100), verify_checksums=True)
    except Exception as error:
        return say(type(error).__name__)
    say("right" if found == value(100) else "a wrong value with a right checksum")


def cut_mapped_table(say):
    make_table(2000)
    database = open_table()
    database.get(key(0))
    os.truncate(tables()[0], 0)
    count, end = scan(database)
    say(f"{count} of 2,000 entries, {end}")


def forged_footer(say):
    """Makes the footer name an index block of 32 TiB."""
    make_table(2000)
    bytes = open(tables()[0], "rb").read()
    handles = b"\x00\x32\x64\x80\x80\x80\x80\x80\x80\x08".ljust(40, b"\0")
    open(tables()[0], "wb").write(bytes[:-48] + handles + bytes[-8:])
    count, end = scan(open_table())
    say(f"{count} of 2,000 entries, {end}")


def resurrected(say):
    back = sizes = 0
    for length in range(4054, 4058):
        database = plyvel.DB(f"db{length}", create_if_missing=True, compression=None, max_file_size=1 << 20,
                             write_buffer_size=64 << 20, bloom_filter_bits=10)
        keys = [b"k%d" % (100000 + number) for number in range(1200)]
        for each in keys:
            database.put(each, b"\7" * length)
        database.compact_range(start=b"", stop=b"\xff")
        snapshot = database.snapshot()
        for each in keys:
            database.delete(each)
        database.compact_range(start=b"", stop=b"\xff")
        snapshot.close()
        for each in keys[::25]:
            database.put(each + b"n", b"1")
            database.compact_range(start=each + b"n", stop=each + b"n")
        count = scan(database)[0] - 48
        back += count
        sizes += count > 0
        database.close()
    say(f"{back} deleted keys are back, with {sizes} of 4 sizes of values" if back else "none is back")


def reversed_order(a, b):
    return (a < b) - (a > b)


REVERSED = dict(comparator=reversed_order, comparator_name=b"test.reversed")


def other_comparator(say):
    plyvel.DB("db", create_if_missing=True).close()
    try:
        plyvel.DB("db", **REVERSED)
        say("opens")
    except Exception as error:
        say(type(error).__name__)
        if "leveldb.BytewiseComparator does not match existing comparator : test.reversed" in str(error):
            say(", with the two names exchanged")


def filter_and_comparator(say):
    database = plyvel.DB("db", create_if_missing=True, bloom_filter_bits=10, comparator_name=b"test.lengths",
                         comparator=lambda a, b: (len(a) > len(b)) - (len(a) < len(b)))
    database.put(b"aa", b"1")
    found = ["found" if database.get(b"bb") else "not found"]
    database.compact_range(start=b"", stop=b"\xff" * 9)
    found.append("found" if database.get(b"bb") else "not found")
    say(f"a key is {found[0]} in memory and {found[1]} in a table")


def repair_comparator(say):
    make_table(100)
    say(kind(lambda: plyvel.repair_db("db", **REVERSED)))
    end = kind(lambda: plyvel.DB("db"))
    say("; then the right comparator " + ("opens it" if end == "no error" else "does not open it"))


def repair_open(say):
    make_table(200)
    database = open_table()
    for number in range(200, 400):
        database.put(key(number), b"1")
    say(kind(lambda: plyvel.repair_db("db")))
    for number in range(400, 600):
        database.put(key(number), b"1")
    database.close()
    try:
        say(f"; {scan(open_table())[0]} of 600 entries afterwards")
    except Exception as error:
        say(f"; does not open afterwards, {type(error).__name__}")


def repair_nothing(say):
    say(kind(lambda: plyvel.repair_db("db")))
    if os.path.exists("db/CURRENT"):
        say(", makes an empty database")


def repair_foreign(say):
    for name in ("000012.log", "letter.txt"):
        open(name, "w").write("dear reader, this is no database")
    say(kind(lambda: plyvel.repair_db(".")))
    if not os.path.exists("000012.log"):
        say(", 000012.log is moved away")
    if os.path.exists("CURRENT"):
        say(", a database is made")


def repair_leftover(say):
    make_table(100)
    path = tables()[0]
    bytes = open(path, "rb").read()
    database = open_table()
    for number in range(100):
        database.delete(key(number))
    database.compact_range(start=b"", stop=b"\xff")
    database.close()
    open(path, "wb").write(bytes)
    say(kind(lambda: plyvel.repair_db("db", **TABLE)))
    say(f", {scan(open_table())[0]} of 100 deleted keys are back")


def destroy_foreign(say):
    names = ("000012.log", "CURRENT", "LOG")
    for name in names:
        open(name, "w").write("mine")
    end = kind(lambda: plyvel.destroy_db("."))
    say(f"{end}, {sum(not os.path.exists(name) for name in names)} of 3 files are deleted")


def destroy_open(say):
    make_table(200)
    database = open_table()
    say(kind(lambda: plyvel.destroy_db("db")) + "; ")
    say(read_numbered(database, 200))
    if another_process_opens():
        say("; then another process opens it as well")


def compact_default(say):
    database = plyvel.DB("db", create_if_missing=True)
    for number in range(20000):
        database.put(key(number), b"\1" * 100)
    database.compact_range(start=b"", stop=b"\xff")
    for number in range(20000):
        database.delete(key(number))
    database.compact_range()
    say(f"{database.approximate_size(b'', bytes([255]))} bytes left by compact_range(), ")
    database.compact_range(start=b"", stop=b"\xff")
    say(f"{database.approximate_size(b'', bytes([255]))} with bounds")


def lost_log(say):
    database = plyvel.DB("db", create_if_missing=True)
    for number in range(101):
        database.put(key(number), b"1", sync=True)
    database.close()
    os.truncate(sorted(glob.glob("db/*.log"))[-1], 0)
    count, end = scan(plyvel.DB("db"))
    say(f"{count} of 101 synced writes, {end}")


def four_gibibytes(say):
    if "FAULTS_LARGE" not in os.environ:
        return say("not run")
    database = plyvel.DB("db", create_if_missing=True)
    say(kind(lambda: database.put(b"a", b"\xff" * ((4 << 30) + 5))) + "; ")
    later = kind(lambda: database.put(b"b", b"1"))
    database.close()
    try:
        database = plyvel.DB("db")
    except Exception:
        return say(f"a later write: {later}; does not open any more")
    found = database.get(b"a")
    say("after a reopen it is not there" if found is None else f"after a reopen the value has {len(found)} bytes")
    say(", a later write is " + ("there" if database.get(b"b") else "lost"))


def stalls(say):
    database = plyvel.DB("db", create_if_missing=True, write_buffer_size=64 << 10)
    for number in range(20000):
        database.put(key(number * 7919 % 20000), b"\1" * 100)
    say(f"{scan(database)[0]} of 20,000 entries; the number of tables is text to be parsed")


def use_after_fork(say):
    database = plyvel.DB("db", create_if_missing=True)
    database.put(b"a", b"1")
    database.compact_range(start=b"", stop=b"\xff")
    child = os.fork()
    if child == 0:
        say(kind(lambda: database.put(b"b", b"2")) + " for a write")
        database.compact_range(start=b"", stop=b"\xff")
        say(", compacts")
        database.close()
        say(", closes")
        os._exit(0)
    for _ in range(500):
        if os.waitpid(child, os.WNOHANG)[0]:
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    say(", then hangs")


def out_of_range(say):
    end = kind(lambda: plyvel.DB("db", create_if_missing=True, write_buffer_size=1))
    say("opens with another value, no error" if end == "no error" else end)


def pinned_tables(say):
    make_table(200)
    database = open_table()
    iterator = database.iterator()
    for number in range(200):
        database.delete(key(number))
    database.compact_range(start=b"", stop=b"\xff")
    during = len(tables())
    iterator.close()
    database.put(b"a", b"1")
    database.compact_range(start=b"", stop=b"\xff")
    say(f"{during} under the iterator, {len(tables())} after it")


def batch_again(say):
    database = plyvel.DB("db", create_if_missing=True)
    batch = database.write_batch()
    batch.put(b"a", b"1")
    end = kind(lambda: (batch.write(), batch.write()))
    say(f"{end}; nothing keeps two threads from sharing it")


def foreign_snapshot(say):
    first = plyvel.DB("first", create_if_missing=True)
    second = plyvel.DB("second", create_if_missing=True)
    first.put(b"a", b"first")
    snapshot = first.snapshot()
    second.put(b"a", b"second")
    first.put(b"a", b"changed")
    say("no call takes one; right" if snapshot.get(b"a") == b"first" else "wrong")


def empty_batches(say):
    database = plyvel.DB("db", create_if_missing=True)
    database.put(b"a", b"1")

    def size():
        return sum(os.path.getsize(path) for path in glob.glob("db/*.log"))

    before = size()
    for _ in range(10000):
        with database.write_batch():
            pass
    say(f"the log grows by {size() - before} bytes")


FAULTS = {
    "1.1a": empty, "1.1b": missing_table, "1.1c": missing_parent,
    "1.2a": close_under_iterator, "1.2b": use_after_close, "1.2c": snapshot_after_close,
    "1.2d": step_behind_end, "1.2e": close_under_compaction,
    "1.3a": second_spelling, "1.3b": second_then_process,
    "1.4a": open_missing, "1.4b": refused_by_process, "1.4c": forged_current, "1.4d": lost_current,
    "1.4e": open_foreign,
    "1.5a": relative_path, "1.5b": nul_in_path,
    "1.6": full_disk, "1.7a": damaged_log, "1.7b": cut_log,
    "1.8a": scan_damaged, "1.8b": get_damaged, "1.8c": damaged_filter, "1.8d": compact_damage,
    "1.8e": cut_mapped_table, "1.8f": forged_footer,
    "1.9": resurrected, "1.10a": other_comparator, "1.10b": filter_and_comparator,
    "1.11a": repair_comparator, "1.11b": repair_open, "1.11c": repair_nothing, "1.11d": repair_foreign,
    "1.11e": repair_leftover, "1.11f": destroy_foreign, "1.11g": destroy_open,
    "1.12": compact_default, "1.13": lost_log, "1.14": four_gibibytes, "1.15": stalls, "1.16": use_after_fork,
    "1.17": out_of_range, "1.18": pinned_tables, "1.19": batch_again, "1.20": foreign_snapshot,
    "1.21": empty_batches,
}


def observe(number):
    """Runs a fault in a child process; returns its output and how it ended."""
    directory = tempfile.mkdtemp(prefix="faults-")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.chdir(directory)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)

        def say(text):
            os.write(writing, text.encode())

        try:
            FAULTS[number](say)
        except BaseException as error:
            say(type(error).__name__)
        os._exit(0)
    os.close(writing)
    deadline = time.monotonic() + (300 if number == "1.14" else 25)
    hangs = False
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > deadline:
            hangs = True
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            break
        time.sleep(0.01)
    os.set_blocking(reading, False)
    text = ""
    try:
        while part := os.read(reading, 4096):
            text += part.decode()
    except BlockingIOError:
        pass
    os.close(reading)
    shutil.rmtree(directory, ignore_errors=True)
    then = ", then " if text else ""
    if hangs:
        return text + then + "hangs"
    if os.WIFSIGNALED(status):
        return text + then + "ends by " + signal.Signals(os.WTERMSIG(status)).name
    return text


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--open":
        try:
            plyvel.DB(sys.argv[2])
        except Exception:
            sys.exit(1)
        os._exit(0)
    print(f"version\tplyvel {plyvel.__version__} (with LevelDB {plyvel.__leveldb_version__})", flush=True)
    for number in sys.argv[1:] or FAULTS:
        print(f"{number}\t{observe(number)}", flush=True)
