// What is needed to call the system's libxml2 after loading it at run time. The layouts are part of libxml2's binary interface.
#ifndef FIRELITE_XML_H
#define FIRELITE_XML_H

#include <stddef.h>

// The beginning of the structure xmlError (https://gnome.pages.gitlab.gnome.org/libxml2/html/struct__xmlError.html).
typedef struct firelite_xml_error {
    int domain;
    int code;
    char *message;
    // 1 for a warning, 2 for an error, 3 for a fatal error.
    int level;
} firelite_xml_error;

// The functions that are called with what the parser finds; `context` is that of `firelite_xml_begin`. Those that are null are not called.
typedef struct firelite_xml_events {
    // An attribute is five addresses: name, prefix, URI, the beginning and the end of its value. A namespace is two: prefix and URI.
    void (*start)(void *context, const unsigned char *name, const unsigned char *prefix, const unsigned char *uri, int namespace_count,
        const unsigned char **namespaces, int attribute_count, int default_count, const unsigned char **attributes);
    void (*end)(void *context, const unsigned char *name, const unsigned char *prefix, const unsigned char *uri);
    void (*text)(void *context, const unsigned char *text, int length);
    void (*comment)(void *context, const unsigned char *text);
    void (*instruction)(void *context, const unsigned char *target, const unsigned char *data);
    void (*document_type)(void *context, const unsigned char *name, const unsigned char *external, const unsigned char *system);
    void (*error)(void *context, const firelite_xml_error *error);
} firelite_xml_events;

// The addresses of libxml2's functions.
typedef struct firelite_xml {
    void *(*create)(void *sax, void *context, const char *chunk, int size, const char *name);
    int (*use_options)(void *parser, int options);
    int (*parse)(void *parser, const char *chunk, int size, int is_last);
    void (*stop)(void *parser);
    long (*offset)(void *parser);
    int (*line)(void *parser);
    void (*release)(void *parser);
} firelite_xml;

// Loads the library and returns 1, or 0 if it or one of its functions does not exist. A loaded library is never unloaded.
int firelite_xml_load(const char *library, firelite_xml *functions);

// Creates a parser that calls the events' functions. It reads UTF-8, loads nothing from files or the network, and has no limit of its own on
// the length of texts. Returns null if there is no memory.
void *firelite_xml_begin(const firelite_xml *functions, const firelite_xml_events *events, void *context);

// What is known of the tags of a document that arrives in pieces; all zero at its beginning.
typedef struct firelite_xml_tags {
    int place;
    unsigned char quote;
    unsigned int attributes;
} firelite_xml_tags;

// Goes over the next bytes of a document, and returns their number, or the place of the tag in them that has more than `most` attributes; 0 if it
// began before them. Nothing is known of a document after such a tag.
size_t firelite_xml_count(firelite_xml_tags *tags, const unsigned char *bytes, size_t count, unsigned int most);

#endif
