// Another build of libstemmer, which gives one English word another stem. It passes all else to the library that it
// replaces.
//
//     LIBRARY  the path of that library, a string
//     WORD     the word, a string; its stem is the word and an x

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct sb_stemmer {
    void *original;
    int isEnglish;
    // Of the last stem.
    int length;
};

static void *find(const char *name) {
    static void *library;
    if (!library) library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) abort();
    return function;
}

const char **sb_stemmer_list(void) { return ((const char **(*)(void))find("sb_stemmer_list"))(); }

struct sb_stemmer *sb_stemmer_new(const char *algorithm, const char *encoding) {
    void *original = ((void *(*)(const char *, const char *))find("sb_stemmer_new"))(algorithm, encoding);
    if (!original) return NULL;
    struct sb_stemmer *stemmer = calloc(1, sizeof *stemmer);
    if (!stemmer) abort();
    stemmer->original = original;
    stemmer->isEnglish = !strcmp(algorithm, "english");
    return stemmer;
}

void sb_stemmer_delete(struct sb_stemmer *stemmer) {
    if (!stemmer) return;
    ((void (*)(void *))find("sb_stemmer_delete"))(stemmer->original);
    free(stemmer);
}

const unsigned char *sb_stemmer_stem(struct sb_stemmer *stemmer, const unsigned char *word, int size) {
    static const char other[] = WORD "x";
    if (stemmer->isEnglish && size == sizeof WORD - 1 && !memcmp(word, WORD, size)) {
        stemmer->length = sizeof other - 1;
        return (const unsigned char *)other;
    }
    const unsigned char *stem = ((const unsigned char *(*)(void *, const unsigned char *, int))find("sb_stemmer_stem"))(
        stemmer->original, word, size);
    stemmer->length = ((int (*)(void *))find("sb_stemmer_length"))(stemmer->original);
    return stem;
}

int sb_stemmer_length(struct sb_stemmer *stemmer) { return stemmer->length; }
