#include "CFireLiteXML.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

// The structure xmlSAXHandler (https://gnome.pages.gitlab.gnome.org/libxml2/html/struct__xmlSAXHandler.html).
typedef struct sax_handler {
    void (*internal_subset)(void *, const unsigned char *, const unsigned char *, const unsigned char *);
    void *is_standalone;
    void *has_internal_subset;
    void *has_external_subset;
    void *resolve_entity;
    void *get_entity;
    void *entity_declaration;
    void *notation_declaration;
    void *attribute_declaration;
    void *element_declaration;
    void *unparsed_entity_declaration;
    void *set_document_locator;
    void *start_document;
    void *end_document;
    void *start_element;
    void *end_element;
    void *reference;
    void (*characters)(void *, const unsigned char *, int);
    void (*ignorable_whitespace)(void *, const unsigned char *, int);
    void (*processing_instruction)(void *, const unsigned char *, const unsigned char *);
    void (*comment)(void *, const unsigned char *);
    void *warning;
    void *error;
    void *fatal_error;
    void *get_parameter_entity;
    void *cdata_block;
    void *external_subset;
    unsigned int initialized;
    void *private_data;
    void (*start_element_ns)(void *, const unsigned char *, const unsigned char *, const unsigned char *, int, const unsigned char **, int,
        int, const unsigned char **);
    void (*end_element_ns)(void *, const unsigned char *, const unsigned char *, const unsigned char *);
    void (*structured_error)(void *, const firelite_xml_error *);
} sax_handler;

// XML_SAX2_MAGIC: the handler has the functions of SAX2.
static const unsigned int sax2 = 0xDEEDBEAF;

// Of xmlParserOption. XML_PARSE_NOENT replaces `&amp;` in attributes, too, which are passed on as `&#38;` without it; other entities cannot be
// declared, as the events refuse a document type.
static const int options = 1 << 1      // XML_PARSE_NOENT
                           | 1 << 11   // XML_PARSE_NONET
                           | 1 << 19   // XML_PARSE_HUGE
                           | 1 << 21;  // XML_PARSE_IGNORE_ENC

int firelite_xml_load(const char *library, firelite_xml *functions) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) { return 0; }
    void (*initialize)(void);
    // ISO C has no cast from an object's address to a function's; POSIX writes it this way (dlsym).
    *(void **)&initialize = dlsym(handle, "xmlInitParser");
    *(void **)&functions->create = dlsym(handle, "xmlCreatePushParserCtxt");
    *(void **)&functions->use_options = dlsym(handle, "xmlCtxtUseOptions");
    *(void **)&functions->parse = dlsym(handle, "xmlParseChunk");
    *(void **)&functions->stop = dlsym(handle, "xmlStopParser");
    *(void **)&functions->offset = dlsym(handle, "xmlByteConsumed");
    *(void **)&functions->line = dlsym(handle, "xmlSAX2GetLineNumber");
    *(void **)&functions->release = dlsym(handle, "xmlFreeParserCtxt");
    if (initialize && functions->create && functions->use_options && functions->parse && functions->stop && functions->offset
        && functions->line && functions->release) {
        initialize();
        return 1;
    }
    dlclose(handle);
    return 0;
}

void *firelite_xml_begin(const firelite_xml *functions, const firelite_xml_events *events, void *context) {
    sax_handler sax;
    memset(&sax, 0, sizeof(sax));
    sax.initialized = sax2;
    sax.internal_subset = events->document_type;
    sax.characters = events->text;
    // The same function for both, so that the parser need not find out which white space could be left out.
    sax.ignorable_whitespace = events->text;
    sax.comment = events->comment;
    sax.processing_instruction = events->instruction;
    sax.start_element_ns = events->start;
    sax.end_element_ns = events->end;
    sax.structured_error = events->error;
    // The parser copies the handler.
    void *parser = functions->create(&sax, context, NULL, 0, NULL);
    if (parser != NULL) { functions->use_options(parser, options); }
    return parser;
}

// Where the last byte was.
enum {
    in_text,
    after_less,         // <
    after_exclamation,  // <!
    after_hyphen,       // <!-
    in_comment,
    at_comment_end,       // -
    at_comment_last,      // --
    in_instruction,       // <?
    at_instruction_last,  // ?
    in_section,           // <![, of which well-formed documents have only those of CDATA
    at_section_end,       // ]
    at_section_last,      // ]]
    in_tag,               // a tag, or a document type, which the readers refuse
    in_value,
};

// The place of the next byte with a value from `from` on; `count` if there is none. Most are near.
static inline size_t next(const unsigned char *bytes, size_t from, size_t count, unsigned char value) {
    size_t near = from + 24 < count ? from + 24 : count;
    while (from < near) {
        if (bytes[from] == value) { return from; }
        from++;
    }
    const unsigned char *found = from < count ? memchr(bytes + from, value, count - from) : NULL;
    return found == NULL ? count : (size_t)(found - bytes);
}

// The bytes that end what a tag has outside of values.
static const unsigned char ends[256] = {['>'] = 1, ['"'] = 1, ['\''] = 1};

// Goes on in a tag, to its end or that of the bytes; most bytes of a document are in tags.
static size_t in_tag_from(firelite_xml_tags *tags, const unsigned char *bytes, size_t index, size_t count, unsigned int most) {
    while (index < count) {
        while (index < count && !ends[bytes[index]]) { index++; }
        if (index == count) { break; }
        unsigned char byte = bytes[index++];
        if (byte == '>') {
            tags->place = in_text;
            break;
        }
        if (++tags->attributes > most) { break; }
        tags->quote = byte;
        index = next(bytes, index, count, byte);
        if (index == count) {
            tags->place = in_value;
            break;
        }
        index++;
    }
    return index;
}

size_t firelite_xml_count(firelite_xml_tags *tags, const unsigned char *bytes, size_t count, unsigned int most) {
    size_t start = 0;
    size_t index = 0;
    while (index < count) {
        // Long stretches of text, comments and values are skipped by a search for the byte that ends them.
        switch (tags->place) {
        case in_text: index = next(bytes, index, count, '<'); break;
        case in_comment: index = next(bytes, index, count, '-'); break;
        case in_instruction: index = next(bytes, index, count, '?'); break;
        case in_section: index = next(bytes, index, count, ']'); break;
        case in_value: index = next(bytes, index, count, tags->quote); break;
        case in_tag:
            index = in_tag_from(tags, bytes, index, count, most);
            if (tags->attributes > most) { return start; }
            continue;
        default: break;
        }
        if (index >= count) { break; }
        unsigned char byte = bytes[index];
        switch (tags->place) {
        case in_text:
            start = index;
            tags->attributes = 0;
            tags->place = after_less;
            break;
        case after_less: tags->place = byte == '!' ? after_exclamation : byte == '?' ? in_instruction : byte == '>' ? in_text : in_tag; break;
        case after_exclamation: tags->place = byte == '-' ? after_hyphen : byte == '[' ? in_section : byte == '>' ? in_text : in_tag; break;
        case after_hyphen: tags->place = byte == '-' ? in_comment : byte == '>' ? in_text : in_tag; break;
        case in_comment: tags->place = at_comment_end; break;
        case at_comment_end: tags->place = byte == '-' ? at_comment_last : in_comment; break;
        case at_comment_last: tags->place = byte == '>' ? in_text : byte == '-' ? at_comment_last : in_comment; break;
        case in_instruction: tags->place = at_instruction_last; break;
        case at_instruction_last: tags->place = byte == '>' ? in_text : byte == '?' ? at_instruction_last : in_instruction; break;
        case in_section: tags->place = at_section_end; break;
        case at_section_end: tags->place = byte == ']' ? at_section_last : in_section; break;
        case at_section_last: tags->place = byte == '>' ? in_text : byte == ']' ? at_section_last : in_section; break;
        case in_value: tags->place = in_tag; break;
        default: break;
        }
        index++;
    }
    return count;
}
