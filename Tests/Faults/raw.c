// Shows how LevelDB's C API behaves in each fault of docs/FAULTS.md.
//
//     cc -O1 -o raw raw.c -lleveldb -lpthread && ./raw
//
// prints a line for each fault: its number, a tab, and the observation. Each fault runs in a separate child process and
// directory, so that a crash or a hang is an ordinary observation.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <leveldb/c.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* program;
static char directory[4096];
static int report;

// ---- Output

static void say(const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (write(report, text, count) != count) abort();
}

// Returns the kind of an error, which is the start of its message.
static const char* kind(char* error) {
  static char text[128];
  if (error == NULL) return "no error";
  snprintf(text, sizeof text, "error (%.*s)", (int)strcspn(error, ":"), error);
  return text;
}

// ---- Files

static char* in(const char* name) {
  static char paths[8][4200];
  static int next;
  char* path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", directory, name);
  return path;
}

static int exists(const char* path) { return access(path, F_OK) == 0; }

static size_t size_of(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 ? (size_t)status.st_size : 0;
}

static void write_file(const char* path, const void* bytes, size_t count) {
  FILE* file = fopen(path, "wb");
  if (file == NULL || fwrite(bytes, 1, count, file) != count) abort();
  fclose(file);
}

static char* read_file(const char* path, size_t* count) {
  *count = size_of(path);
  char* bytes = malloc(*count + 1);
  FILE* file = fopen(path, "rb");
  if (file == NULL || fread(bytes, 1, *count, file) != *count) abort();
  fclose(file);
  return bytes;
}

// Counts the files in a directory whose names end in `end`, and stores the path of the last one by name in `last`.
static int files(const char* path, const char* end, char* last) {
  DIR* list = opendir(path);
  if (list == NULL) return 0;
  int count = 0;
  char best[300] = "";
  for (struct dirent* entry; (entry = readdir(list)) != NULL;) {
    size_t length = strlen(entry->d_name), end_length = strlen(end);
    if (length < end_length || strcmp(entry->d_name + length - end_length, end) != 0) continue;
    if (entry->d_name[0] == '.') continue;
    count++;
    if (strcmp(entry->d_name, best) > 0) strcpy(best, entry->d_name);
  }
  closedir(list);
  if (last != NULL) sprintf(last, "%s/%s", path, best);
  return count;
}

static int remove_all(const char* path, const char* end) {
  char file[4600];
  int count = 0;
  while (files(path, end, file) > 0 && unlink(file) == 0) count++;
  return count;
}

// ---- Databases

static leveldb_options_t* options(void) {
  leveldb_options_t* result = leveldb_options_create();
  leveldb_options_set_create_if_missing(result, 1);
  return result;
}

static leveldb_t* open_with(leveldb_options_t* options, const char* path, char** error) {
  *error = NULL;
  return leveldb_open(options, path, error);
}

static leveldb_t* must_open(leveldb_options_t* options, const char* path) {
  char* error;
  leveldb_t* db = open_with(options, path, &error);
  if (db == NULL) {
    say("does not open: %s", error);
    _exit(0);
  }
  return db;
}

static char* put_with(leveldb_t* db, const char* key, const void* value, size_t count, int sync) {
  char* error = NULL;
  leveldb_writeoptions_t* writing = leveldb_writeoptions_create();
  leveldb_writeoptions_set_sync(writing, sync);
  leveldb_put(db, writing, key, strlen(key), value, count, &error);
  leveldb_writeoptions_destroy(writing);
  return error;
}

static char* put(leveldb_t* db, const char* key, const char* value) {
  return put_with(db, key, value, strlen(value), 0);
}

static void delete(leveldb_t* db, const char* key) {
  char* error = NULL;
  leveldb_writeoptions_t* writing = leveldb_writeoptions_create();
  leveldb_delete(db, writing, key, strlen(key), &error);
  leveldb_writeoptions_destroy(writing);
}

static char* get(leveldb_t* db, const char* key, size_t* count, char** error) {
  leveldb_readoptions_t* reading = leveldb_readoptions_create();
  *error = NULL;
  char* value = leveldb_get(db, reading, key, strlen(key), count, error);
  leveldb_readoptions_destroy(reading);
  return value;
}

static int scan(leveldb_t* db, int reverse, char** error) {
  leveldb_readoptions_t* reading = leveldb_readoptions_create();
  leveldb_iterator_t* iterator = leveldb_create_iterator(db, reading);
  int count = 0;
  if (reverse) {
    for (leveldb_iter_seek_to_last(iterator); leveldb_iter_valid(iterator); leveldb_iter_prev(iterator)) count++;
  } else {
    for (leveldb_iter_seek_to_first(iterator); leveldb_iter_valid(iterator); leveldb_iter_next(iterator)) count++;
  }
  *error = NULL;
  leveldb_iter_get_error(iterator, error);
  leveldb_iter_destroy(iterator);
  return count;
}

static char* numbered(int number) {
  static char key[32];
  sprintf(key, "key%06d", number);
  return key;
}

static size_t value_of(int number, char* value) {
  size_t count = sprintf(value, "value %d of many;", number);
  memset(value + count, 7, 80);
  return count + 80;
}

static leveldb_options_t* table_options(void) {
  leveldb_options_t* result = options();
  leveldb_options_set_compression(result, leveldb_no_compression);
  leveldb_options_set_block_size(result, 1024);
  leveldb_options_set_filter_policy(result, leveldb_filterpolicy_create_bloom(10));
  return result;
}

static void make_table(const char* path, int count) {
  leveldb_t* db = must_open(table_options(), path);
  char value[200];
  for (int number = 0; number < count; number++) {
    size_t length = value_of(number, value);
    put_with(db, numbered(number), value, length, 0);
  }
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  leveldb_close(db);
}

static void damage(const char* path, int number) {
  char file[4600], value[200];
  size_t count, length = value_of(number, value);
  files(path, ".ldb", file);
  char* bytes = read_file(file, &count);
  char* place = memmem(bytes, count, value, length);
  if (place == NULL) abort();
  place[30] ^= 0x10;
  write_file(file, bytes, count);
}

// Prints how many keys are found with their values, found with other values, not found, and answered with an error.
static void read_numbered(leveldb_t* db, int total) {
  int right = 0, wrong = 0, missing = 0, errors = 0;
  char expected[200];
  for (int number = 0; number < total; number++) {
    size_t count, length = value_of(number, expected);
    char* error;
    char* value = get(db, numbered(number), &count, &error);
    if (error != NULL) errors++;
    else if (value == NULL) missing++;
    else if (count == length && memcmp(value, expected, count) == 0) right++;
    else wrong++;
  }
  if (right == total) {
    say("all found");
    return;
  }
  say("%d of %d right", right, total);
  if (wrong) say(", %d wrong without an error", wrong);
  if (missing) say(", %d \"not found\" without an error", missing);
  if (errors) say(", %d errors", errors);
}

// Returns whether another process can open the database, by running this program again.
static int another_process_opens(const char* path) {
  pid_t child = fork();
  if (child == 0) {
    execl(program, program, "--open", path, NULL);
    _exit(2);
  }
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// ---- Faults

static void empty(void) {
  leveldb_t* db = must_open(options(), in("db"));
  put(db, "", "");
  size_t count;
  char* error;
  char* value = get(db, "", &count, &error);
  say(value != NULL && count == 0 ? "found" : "not found");
}

static void missing_table(void) {
  make_table(in("db"), 200);
  leveldb_t* db = must_open(table_options(), in("db"));
  remove_all(in("db"), ".ldb");
  read_numbered(db, 200);
}

static void missing_parent(void) {
  char* error;
  leveldb_t* db = open_with(options(), in("a/b/db"), &error);
  say(db ? "made" : "%s, as for a file that is lost", kind(error));
}

static void close_under_iterator(void) {
  leveldb_t* db = must_open(options(), in("db"));
  put(db, "a", "1");
  leveldb_iterator_t* iterator = leveldb_create_iterator(db, leveldb_readoptions_create());
  leveldb_iter_seek_to_first(iterator);
  leveldb_close(db);
  leveldb_iter_next(iterator);
  say("goes on in freed memory");
}

static void use_after_close(void) {
  leveldb_t* db = must_open(options(), in("db"));
  put(db, "a", "1");
  leveldb_close(db);
  size_t count;
  char* error;
  char* value = get(db, "a", &count, &error);
  say("reads freed memory: %s", value ? "a value" : kind(error));
}

static void snapshot_after_close(void) {
  leveldb_t* db = must_open(options(), in("db"));
  put(db, "a", "1");
  const leveldb_snapshot_t* snapshot = leveldb_create_snapshot(db);
  leveldb_close(db);
  leveldb_release_snapshot(db, snapshot);
  say("goes on in freed memory");
}

static void step_behind_end(void) {
  leveldb_t* db = must_open(options(), in("db"));
  put(db, "a", "1");
  leveldb_iterator_t* iterator = leveldb_create_iterator(db, leveldb_readoptions_create());
  leveldb_iter_seek_to_last(iterator);
  leveldb_iter_next(iterator);
  leveldb_iter_next(iterator);
  say("goes on");
}

static void* compact_for_ever(void* db) {
  for (;;) leveldb_compact_range(db, NULL, 0, NULL, 0);
  return NULL;
}

static void close_under_compaction(void) {
  for (int round = 0; round < 10; round++) {
    leveldb_t* db = must_open(options(), in("db"));
    char value[500];
    memset(value, 1, sizeof value);
    for (int number = 0; number < 2000; number++) put_with(db, numbered(number), value, sizeof value, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, compact_for_ever, db);
    usleep(2000);
    leveldb_close(db);
    usleep(20000);
  }
  say("goes on in freed memory");
}

static void second_spelling(void) {
  mkdir(in("a"), 0755);
  leveldb_t* first = must_open(options(), in("db"));
  char* error;
  leveldb_t* second = open_with(options(), in("a/../db"), &error);
  if (second == NULL) {
    say("%s", kind(error));
    return;
  }
  put(first, "a", "1");
  put(second, "b", "2");
  say("two handles of one database");
}

static void second_then_process(void) {
  must_open(options(), in("db"));
  char* error;
  leveldb_t* second = open_with(options(), in("db"), &error);
  say("%s; ", second ? "opens" : kind(error));
  say(another_process_opens(in("db")) ? "then another process opens it as well" : "other processes are kept out");
}

static void open_missing(void) {
  char* error;
  leveldb_t* db = open_with(leveldb_options_create(), in("db"), &error);
  say("%s", db ? "opens" : kind(error));
  if (exists(in("db"))) {
    say(", leaves a directory with");
    if (exists(in("db/LOCK"))) say(" LOCK");
    if (exists(in("db/LOG"))) say(" LOG");
  }
}

static void refused_by_process(void) {
  leveldb_t* db = must_open(options(), in("db"));
  put(db, "a", "1");
  if (another_process_opens(in("db"))) {
    say("opens");
    return;
  }
  say("error");
  if (exists(in("db/LOG.old"))) say(", the holder's LOG is renamed to LOG.old");
}

static void forged_current(void) {
  make_table(in("db"), 100);
  write_file(in("db/CURRENT"), "MANIFEST-000099\n", 16);
  char* error;
  leveldb_t* db = open_with(options(), in("db"), &error);
  say("%s", db ? "opens" : kind(error));
  say(", %s", files(in("db"), ".ldb", NULL) ? "the table stays" : "the table is deleted");
}

static void lost_current(void) {
  make_table(in("db"), 100);
  unlink(in("db/CURRENT"));
  char* error;
  leveldb_t* db = open_with(options(), in("db"), &error);
  if (db == NULL) {
    say("%s", kind(error));
  } else {
    say("opens with %d of 100 entries", scan(db, 0, &error));
  }
  say(", %s", files(in("db"), ".ldb", NULL) ? "the table stays" : "the table is deleted");
}

static void open_foreign(void) {
  write_file(in("notes.txt"), "mine", 4);
  write_file(in("000012.ldb"), "mine", 4);
  char* error;
  leveldb_t* db = open_with(options(), directory, &error);
  say("%s", db ? "makes a database among them" : kind(error));
  if (!exists(in("000012.ldb"))) say(", a file 000012.ldb is deleted");
}

static void relative_path(void) {
  if (chdir(directory) != 0) abort();
  make_table("db", 200);
  leveldb_t* db = must_open(table_options(), "db");
  if (chdir("/") != 0) abort();
  read_numbered(db, 200);
}

static void nul_in_path(void) {
  char path[4300];
  int length = sprintf(path, "%s", in("db"));
  memcpy(path + length, "\0x", 3);
  char* error;
  leveldb_t* db = open_with(options(), path, &error);
  say(db && exists(in("db")) ? "opens another database: the path ends there" : "%s", kind(error));
}

static void full_disk(void) {
  leveldb_t* db = must_open(options(), in("db"));
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  rlim_t old = limit.rlim_cur;
  limit.rlim_cur = 100000;
  setrlimit(RLIMIT_FSIZE, &limit);
  char value[1000];
  memset(value, 1, sizeof value);
  int number = 0;
  while (put_with(db, numbered(number), value, sizeof value, 1) == NULL) number++;
  limit.rlim_cur = old;
  setrlimit(RLIMIT_FSIZE, &limit);
  int accepted = 0;
  for (int later = 1000; later < 1200; later++) {
    accepted += put_with(db, numbered(later), value, sizeof value, 1) == NULL;
  }
  leveldb_close(db);
  db = must_open(options(), in("db"));
  int found = 0;
  for (int later = 1000; later < 1200; later++) {
    size_t count;
    char* error;
    found += get(db, numbered(later), &count, &error) != NULL;
  }
  say("%d of %d acknowledged writes are there", found, accepted);
}

static void damaged_log(void) {
  leveldb_t* db = must_open(options(), in("db"));
  char value[100], file[4600];
  memset(value, 7, sizeof value);
  for (int number = 0; number < 5000; number++) put_with(db, numbered(number), value, sizeof value, 0);
  leveldb_close(db);
  files(in("db"), ".log", file);
  size_t count;
  char* bytes = read_file(file, &count);
  bytes[count / 2 + 5000] ^= 1;
  write_file(file, bytes, count);
  char* error;
  db = open_with(options(), in("db"), &error);
  if (db == NULL) {
    say("%s", kind(error));
    return;
  }
  int found = scan(db, 0, &error);
  size_t length;
  int last = get(db, numbered(4999), &length, &error) != NULL;
  say("%d of 5,000 entries%s, %s", found, last ? ", the last among them" : "", kind(error));
}

static void cut_log(void) {
  leveldb_t* db = must_open(options(), in("db"));
  for (int number = 0; number < 100; number++) put(db, numbered(number), "7");
  leveldb_close(db);
  char file[4600];
  files(in("db"), ".log", file);
  if (truncate(file, size_of(file) - 5) != 0) abort();
  db = must_open(options(), in("db"));
  char* error;
  int found = scan(db, 0, &error);
  say("%d of 99 entries, %s", found, kind(error));
}

static void scan_damaged(void) {
  make_table(in("db"), 20000);
  damage(in("db"), 19999);
  leveldb_t* db = must_open(table_options(), in("db"));
  // Like most programs, the loop only asks for the next entry.
  leveldb_readoptions_t* reading = leveldb_readoptions_create();
  int plain = 0;
  char* error;
  plain = scan(db, 0, &error);
  say("%d of 20,000 entries, one of them wrong, %s; ", plain, kind(error));
  leveldb_readoptions_set_verify_checksums(reading, 1);
  leveldb_iterator_t* iterator = leveldb_create_iterator(db, reading);
  int count = 0;
  for (leveldb_iter_seek_to_first(iterator); leveldb_iter_valid(iterator); leveldb_iter_next(iterator)) count++;
  error = NULL;
  leveldb_iter_get_error(iterator, &error);
  leveldb_iter_destroy(iterator);
  say("with verify_checksums %d, %s if asked for", count, kind(error));
}

static void get_damaged(void) {
  make_table(in("db"), 200);
  damage(in("db"), 100);
  read_numbered(must_open(table_options(), in("db")), 200);
}

static void damaged_filter(void) {
  make_table(in("db"), 200);
  char file[4600], value[200];
  files(in("db"), ".ldb", file);
  size_t count, length = value_of(199, value);
  char* bytes = read_file(file, &count);
  char* place = (char*)memmem(bytes, count, value, length) + length + 20;
  memset(place, 0, 150);
  write_file(file, bytes, count);
  read_numbered(must_open(table_options(), in("db")), 200);
}

static void compact_damage(void) {
  make_table(in("db"), 200);
  damage(in("db"), 100);
  leveldb_t* db = must_open(table_options(), in("db"));
  put(db, numbered(0), "1");
  put(db, numbered(199), "1");
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  size_t count, length;
  char expected[200], *error = NULL;
  length = value_of(100, expected);
  leveldb_readoptions_t* reading = leveldb_readoptions_create();
  leveldb_readoptions_set_verify_checksums(reading, 1);
  char* value = leveldb_get(db, reading, numbered(100), 9, &count, &error);
  if (value == NULL) say("%s", kind(error));
  else say(count == length && memcmp(value, expected, length) == 0 ? "right" : "a wrong value with a right checksum");
}

static void cut_mapped_table(void) {
  make_table(in("db"), 2000);
  leveldb_t* db = must_open(table_options(), in("db"));
  size_t count;
  char *error, file[4600];
  get(db, numbered(0), &count, &error);
  files(in("db"), ".ldb", file);
  if (truncate(file, 0) != 0) abort();
  int found = scan(db, 0, &error);
  say("%d of 2,000 entries, %s", found, kind(error));
}

// Makes the footer name an index block of 32 TiB.
static void forged_footer(void) {
  make_table(in("db"), 2000);
  char file[4600];
  size_t count;
  files(in("db"), ".ldb", file);
  char* bytes = read_file(file, &count);
  memset(bytes + count - 48, 0, 40);
  memcpy(bytes + count - 48, "\x00\x32\x64\x80\x80\x80\x80\x80\x80\x08", 10);
  write_file(file, bytes, count);
  char* error;
  int found = scan(must_open(table_options(), in("db")), 0, &error);
  say("%d of 2,000 entries, %s", found, kind(error));
}

static void resurrected(void) {
  int back = 0, sizes = 0;
  for (int length = 4054; length <= 4057; length++) {
    char name[32], value[5000];
    sprintf(name, "db%d", length);
    memset(value, 7, sizeof value);
    leveldb_options_t* large = options();
    leveldb_options_set_compression(large, leveldb_no_compression);
    leveldb_options_set_max_file_size(large, 1 << 20);
    leveldb_options_set_write_buffer_size(large, 64 << 20);
    leveldb_options_set_filter_policy(large, leveldb_filterpolicy_create_bloom(10));
    leveldb_t* db = must_open(large, in(name));
    char key[16];
    for (int number = 0; number < 1200; number++) {
      sprintf(key, "k%d", 100000 + number);
      put_with(db, key, value, length, 0);
    }
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    const leveldb_snapshot_t* snapshot = leveldb_create_snapshot(db);
    for (int number = 0; number < 1200; number++) {
      sprintf(key, "k%d", 100000 + number);
      delete(db, key);
    }
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    leveldb_release_snapshot(db, snapshot);
    for (int number = 0; number < 1200; number += 25) {
      // The neighbor moves to the next level together with the deletion, but without the old value.
      sprintf(key, "k%dn", 100000 + number);
      put(db, key, "1");
      leveldb_compact_range(db, key, strlen(key), key, strlen(key));
    }
    char* error;
    int count = scan(db, 0, &error) - 48;
    back += count;
    sizes += count > 0;
    leveldb_close(db);
  }
  if (back) say("%d deleted keys are back, with %d of 4 sizes of values", back, sizes);
  else say("none is back");
}

static int compare_reversed(void* state, const char* a, size_t a_length, const char* b, size_t b_length) {
  (void)state;
  int order = memcmp(b, a, a_length < b_length ? a_length : b_length);
  return order != 0 ? order : a_length < b_length ? 1 : a_length > b_length ? -1 : 0;
}
static int compare_lengths(void* state, const char* a, size_t a_length, const char* b, size_t b_length) {
  (void)state, (void)a, (void)b;
  return a_length < b_length ? -1 : a_length > b_length;
}
static const char* reversed_name(void* state) { return state ? "mine" : "test.reversed"; }
static void nothing(void* state) { (void)state; }

static leveldb_options_t* reversed(void) {
  leveldb_options_t* result = options();
  leveldb_options_set_comparator(
      result, leveldb_comparator_create(NULL, nothing, compare_reversed, reversed_name));
  return result;
}

static void other_comparator(void) {
  leveldb_close(must_open(options(), in("db")));
  char* error;
  leveldb_t* db = open_with(reversed(), in("db"), &error);
  say("%s", db ? "opens" : kind(error));
  if (error && strstr(error, "leveldb.BytewiseComparator does not match existing comparator : test.reversed")) {
    say(", with the two names exchanged");
  }
}

static void filter_and_comparator(void) {
  leveldb_options_t* both = options();
  leveldb_options_set_comparator(both, leveldb_comparator_create(NULL, nothing, compare_lengths, reversed_name));
  leveldb_options_set_filter_policy(both, leveldb_filterpolicy_create_bloom(10));
  leveldb_t* db = must_open(both, in("db"));
  put(db, "aa", "1");
  size_t count;
  char* error;
  int before = get(db, "bb", &count, &error) != NULL;
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  int after = get(db, "bb", &count, &error) != NULL;
  say("a key is %s in memory and %s in a table", before ? "found" : "not found", after ? "found" : "not found");
}

static char* repair(leveldb_options_t* options, const char* path) {
  char* error = NULL;
  leveldb_repair_db(options, path, &error);
  return error;
}

static void repair_comparator(void) {
  make_table(in("db"), 100);
  say("%s; ", kind(repair(reversed(), in("db"))));
  char* error;
  leveldb_t* db = open_with(options(), in("db"), &error);
  say("then the right comparator %s", db ? "opens it" : "does not open it");
}

static void repair_open(void) {
  make_table(in("db"), 200);
  leveldb_t* db = must_open(table_options(), in("db"));
  for (int number = 200; number < 400; number++) put(db, numbered(number), "1");
  say("%s", kind(repair(options(), in("db"))));
  for (int number = 400; number < 600; number++) put(db, numbered(number), "1");
  leveldb_close(db);
  char* error;
  db = open_with(table_options(), in("db"), &error);
  if (db == NULL) {
    say("; does not open afterwards, %s", kind(error));
    return;
  }
  int found = scan(db, 0, &error);
  say("; %d of 600 entries afterwards", found);
}

static void repair_nothing(void) {
  say("%s", kind(repair(options(), in("db"))));
  if (exists(in("db/CURRENT"))) say(", makes an empty database");
}

static void repair_foreign(void) {
  write_file(in("000012.log"), "dear reader, this is no database", 32);
  write_file(in("letter.txt"), "dear reader", 11);
  say("%s", kind(repair(options(), directory)));
  if (!exists(in("000012.log"))) say(", 000012.log is moved away");
  if (exists(in("CURRENT"))) say(", a database is made");
}

static void repair_leftover(void) {
  make_table(in("db"), 100);
  char file[4600];
  files(in("db"), ".ldb", file);
  size_t count;
  char* bytes = read_file(file, &count);
  leveldb_t* db = must_open(table_options(), in("db"));
  for (int number = 0; number < 100; number++) delete(db, numbered(number));
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  leveldb_close(db);
  write_file(file, bytes, count);
  say("%s", kind(repair(table_options(), in("db"))));
  char* error;
  int found = scan(must_open(table_options(), in("db")), 0, &error);
  say(", %d of 100 deleted keys are back", found);
}

static void destroy_foreign(void) {
  const char* names[] = {"000012.log", "CURRENT", "LOG"};
  for (int index = 0; index < 3; index++) write_file(in(names[index]), "mine", 4);
  char* error = NULL;
  leveldb_destroy_db(options(), directory, &error);
  int deleted = 0;
  for (int index = 0; index < 3; index++) deleted += !exists(in(names[index]));
  say("%s, %d of 3 files are deleted", kind(error), deleted);
}

static void destroy_open(void) {
  make_table(in("db"), 200);
  leveldb_t* db = must_open(table_options(), in("db"));
  char* error = NULL;
  leveldb_destroy_db(options(), in("db"), &error);
  say("%s; ", kind(error));
  read_numbered(db, 200);
  say(another_process_opens(in("db")) ? "; then another process opens it as well" : "");
}

static void compact_default(void) {
  leveldb_t* db = must_open(options(), in("db"));
  char value[100];
  memset(value, 1, sizeof value);
  for (int number = 0; number < 20000; number++) put_with(db, numbered(number), value, sizeof value, 0);
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  for (int number = 0; number < 20000; number++) delete(db, numbered(number));
  const char *start[] = {""}, *end[] = {"\xff"};
  size_t start_length[] = {0}, end_length[] = {1};
  uint64_t bytes;
  leveldb_compact_range(db, "", 0, "", 0);
  leveldb_approximate_sizes(db, 1, start, start_length, end, end_length, &bytes);
  say("%llu bytes left with empty texts, ", (unsigned long long)bytes);
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  leveldb_approximate_sizes(db, 1, start, start_length, end, end_length, &bytes);
  say("%llu with NULL", (unsigned long long)bytes);
}

static void lost_log(void) {
  leveldb_t* db = must_open(options(), in("db"));
  for (int number = 0; number <= 100; number++) put_with(db, numbered(number), "1", 1, 1);
  leveldb_close(db);
  char file[4600];
  files(in("db"), ".log", file);
  if (truncate(file, 0) != 0) abort();
  char* error;
  int found = scan(must_open(options(), in("db")), 0, &error);
  say("%d of 101 synced writes, %s", found, kind(error));
}

static void four_gibibytes(void) {
  if (getenv("FAULTS_LARGE") == NULL) {
    say("not run");
    return;
  }
  size_t count = ((size_t)4 << 30) + 5;
  char* value = malloc(count);
  memset(value, 0xff, count);
  leveldb_t* db = must_open(options(), in("db"));
  char* error = put_with(db, "a", value, count, 0);
  free(value);
  say("%s; ", kind(error));
  char* later = put(db, "b", "1");
  leveldb_close(db);
  db = open_with(options(), in("db"), &error);
  if (db == NULL) {
    say("a later write: %s; does not open any more", kind(later));
    return;
  }
  size_t length;
  char* found = get(db, "a", &length, &error);
  if (found) say("after a reopen the value has %zu bytes", length);
  else say("after a reopen it is not there");
  say(", a later write is %s", get(db, "b", &length, &error) ? "there" : "lost");
}

static void stalls(void) {
  leveldb_options_t* small = options();
  leveldb_options_set_write_buffer_size(small, 64 << 10);
  leveldb_t* db = must_open(small, in("db"));
  char value[100];
  memset(value, 1, sizeof value);
  for (int number = 0; number < 20000; number++) {
    put_with(db, numbered((int)((long)number * 7919 % 20000)), value, sizeof value, 0);
  }
  char* error;
  int found = scan(db, 0, &error);
  say("%d of 20,000 entries; the number of tables is text to be parsed", found);
}

static void use_after_fork(void) {
  leveldb_t* db = must_open(options(), in("db"));
  put(db, "a", "1");
  // Starts the background thread.
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  pid_t child = fork();
  if (child == 0) {
    say("%s for a write", kind(put(db, "b", "2")));
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    say(", compacts");
    leveldb_close(db);
    say(", closes");
    _exit(0);
  }
  int status;
  for (int waits = 0; waits < 500; waits++) {
    if (waitpid(child, &status, WNOHANG) != 0) return;
    usleep(10000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  say(", then hangs");
}

static void out_of_range(void) {
  leveldb_options_t* tiny = options();
  leveldb_options_set_write_buffer_size(tiny, 1);
  char* error;
  leveldb_t* db = open_with(tiny, in("db"), &error);
  say("%s", db ? "opens with another value, no error" : kind(error));
}

static void pinned_tables(void) {
  make_table(in("db"), 200);
  leveldb_t* db = must_open(table_options(), in("db"));
  leveldb_iterator_t* iterator = leveldb_create_iterator(db, leveldb_readoptions_create());
  for (int number = 0; number < 200; number++) delete(db, numbered(number));
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  int during = files(in("db"), ".ldb", NULL);
  leveldb_iter_destroy(iterator);
  put(db, "a", "1");
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  say("%d under the iterator, %d after it", during, files(in("db"), ".ldb", NULL));
}

static void batch_again(void) {
  leveldb_t* db = must_open(options(), in("db"));
  leveldb_writebatch_t* batch = leveldb_writebatch_create();
  leveldb_writebatch_put(batch, "a", 1, "1", 1);
  char* error = NULL;
  leveldb_write(db, leveldb_writeoptions_create(), batch, &error);
  leveldb_write(db, leveldb_writeoptions_create(), batch, &error);
  say("%s; nothing keeps two threads from sharing it", kind(error));
}

static void foreign_snapshot(void) {
  leveldb_t* first = must_open(options(), in("first"));
  leveldb_t* second = must_open(options(), in("second"));
  put(first, "a", "first");
  const leveldb_snapshot_t* snapshot = leveldb_create_snapshot(first);
  put(second, "x", "1");
  put(second, "a", "second");
  leveldb_readoptions_t* reading = leveldb_readoptions_create();
  leveldb_readoptions_set_snapshot(reading, snapshot);
  size_t count;
  char* error = NULL;
  char* value = leveldb_get(second, reading, "a", 1, &count, &error);
  say(value ? "reads" : "\"not found\" for a key that is there, %s", kind(error));
  leveldb_release_snapshot(second, snapshot);
  say("; released without a word");
}

static void empty_batches(void) {
  leveldb_t* db = must_open(options(), in("db"));
  put(db, "a", "1");
  char file[4600];
  files(in("db"), ".log", file);
  size_t before = size_of(file);
  leveldb_writebatch_t* batch = leveldb_writebatch_create();
  leveldb_writeoptions_t* writing = leveldb_writeoptions_create();
  char* error = NULL;
  for (int number = 0; number < 10000; number++) leveldb_write(db, writing, batch, &error);
  files(in("db"), ".log", file);
  say("the log grows by %zu bytes", size_of(file) - before);
}

static const struct {
  const char* number;
  void (*run)(void);
} faults[] = {
    {"1.1a", empty},           {"1.1b", missing_table},      {"1.1c", missing_parent},
    {"1.2a", close_under_iterator}, {"1.2b", use_after_close}, {"1.2c", snapshot_after_close},
    {"1.2d", step_behind_end}, {"1.2e", close_under_compaction}, {"1.3a", second_spelling},
    {"1.3b", second_then_process}, {"1.4a", open_missing},   {"1.4b", refused_by_process},
    {"1.4c", forged_current},  {"1.4d", lost_current},       {"1.4e", open_foreign},
    {"1.5a", relative_path},   {"1.5b", nul_in_path},        {"1.6", full_disk},
    {"1.7a", damaged_log},     {"1.7b", cut_log},            {"1.8a", scan_damaged},
    {"1.8b", get_damaged},     {"1.8c", damaged_filter},     {"1.8d", compact_damage},
    {"1.8e", cut_mapped_table}, {"1.8f", forged_footer},     {"1.9", resurrected},
    {"1.10a", other_comparator},
    {"1.10b", filter_and_comparator}, {"1.11a", repair_comparator}, {"1.11b", repair_open},
    {"1.11c", repair_nothing}, {"1.11d", repair_foreign},    {"1.11e", repair_leftover},
    {"1.11f", destroy_foreign}, {"1.11g", destroy_open},     {"1.12", compact_default},
    {"1.13", lost_log},        {"1.14", four_gibibytes},     {"1.15", stalls},
    {"1.16", use_after_fork},  {"1.17", out_of_range},       {"1.18", pinned_tables},
    {"1.19", batch_again},     {"1.20", foreign_snapshot},   {"1.21", empty_batches},
};

// ---- Running

static void observe(const char* number, void (*run)(void)) {
  const char* parent = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/faults-XXXXXX", parent ? parent : "/tmp");
  if (mkdtemp(directory) == NULL) abort();
  int pipes[2];
  if (pipe(pipes) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    close(pipes[0]);
    report = pipes[1];
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    int quiet = open("/dev/null", O_WRONLY);
    dup2(quiet, 2);
    run();
    _exit(0);
  }
  close(pipes[1]);
  int status = 0, limit = number[2] == '1' && number[3] == '4' ? 30000 : 2500, isHanging = 1;
  for (int waits = 0; waits < limit; waits++) {
    if (waitpid(child, &status, WNOHANG) != 0) {
      isHanging = 0;
      break;
    }
    usleep(10000);
  }
  if (isHanging) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  char text[4096];
  ssize_t count = 0, part;
  fcntl(pipes[0], F_SETFL, O_NONBLOCK);
  while ((part = read(pipes[0], text + count, sizeof text - 1 - count)) > 0) count += part;
  close(pipes[0]);
  text[count] = 0;
  printf("%s\t%s", number, text);
  const char* separator = count > 0 ? ", then " : "";
  if (isHanging) printf("%shangs", separator);
  else if (WIFSIGNALED(status)) printf("%sends by SIG%s", separator, sigabbrev_np(WTERMSIG(status)));
  printf("\n");
  fflush(stdout);
  char command[4200];
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  if (system(command) != 0) abort();
}

int main(int count, char** arguments) {
  program = "/proc/self/exe";
  if (count == 3 && strcmp(arguments[1], "--open") == 0) {
    char* error;
    return open_with(options(), arguments[2], &error) == NULL;
  }
  printf("version\tLevelDB %d.%d\n", leveldb_major_version(), leveldb_minor_version());
  fflush(stdout);
  for (size_t index = 0; index < sizeof faults / sizeof faults[0]; index++) {
    if (count == 2 && strcmp(arguments[1], faults[index].number) != 0) continue;
    observe(faults[index].number, faults[index].run);
  }
  return 0;
}
