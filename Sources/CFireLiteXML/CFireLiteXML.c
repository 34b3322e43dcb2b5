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
