import FireLiteCore
import Foundation

/// A conformance resource, or an example, that a package or a file brought: what finds it, and its text.
package final class Definition: Sendable {
    /// The resource type: `StructureDefinition`.
    package let type: String
    /// The canonical URL; nil for resources without one, examples for instance.
    package let url: String?
    /// The business version; nil if there is none.
    package let version: String?
    /// The logical id; nil if there is none.
    package let id: String?
    /// For a StructureDefinition, the type that it describes; for a CodeSystem supplement, the system that it adds to.
    package let subject: String?
    /// The date of its last change as text, which orders versions that are not numbers.
    package let date: String?
    /// Where it came from, `hl7.fhir.us.core#6.1.0` or a file.
    package let source: String
    private let content: Content

    /// The text, or where it is.
    private enum Content: Sendable {
        case text(Data)
        case stored(any DefinitionTexts, Int64)
    }

    /// The resource as JSON.
    ///
    /// - Throws: `KnowledgeError` with code `file` if its file cannot be read any more.
    package var text: Data {
        get throws {
            switch content {
            case .text(let text): text
            case .stored(let texts, let key): try texts.text(key)
            }
        }
    }

    /// - Throws: `KnowledgeError` with code `content` for text that is no FHIR resource in JSON.
    package init(_ text: Data, source: String) throws {
        let clean = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text
        let json: JSONItem
        do {
            json = try JSONItemReader.read(clean)
        } catch {
            throw KnowledgeError(.content, "\(source): line \(error.line): \(error.problem): give a FHIR resource in JSON")
        }
        guard let type = json["resourceType"]?.text else {
            throw KnowledgeError(.content, "\(source): there is no resourceType: give a FHIR resource in JSON")
        }
        self.type = type
        self.source = source
        content = .text(Data(clean))
        url = json["url"]?.text
        version = json["version"]?.text
        id = json["id"]?.text
        date = json["date"]?.text
        subject = json[type == "StructureDefinition" ? "type" : "supplements"]?.text
    }

    /// A definition whose text is in a file of packages, under a key.
    init(
        type: String, url: String?, version: String?, id: String?, subject: String?, date: String?, source: String,
        in texts: any DefinitionTexts,
        key: Int64
    ) {
        (self.type, self.url, self.version, self.id) = (type, url, version, id)
        (self.subject, self.date, self.source) = (subject, date, source)
        content = .stored(texts, key)
    }

    /// Whether another definition of the same URL is newer: by their business versions, or else by their dates.
    func isOlder(than other: Definition) -> Bool {
        if VersionPattern.isOlder(version, other.version) { return true }
        if VersionPattern.isOlder(other.version, version) { return false }
        return (date ?? "") < (other.date ?? "")
    }

    /// The resource as a JSON tree, read again each time.
    ///
    /// - Throws: `KnowledgeError` with code `file` if its file cannot be read any more, or is damaged.
    package var json: JSONItem {
        get throws {
            let text = try text
            // It was read when the definition was made.
            do { return try JSONItemReader.read(text) } catch {
                throw ReadingFailures.noted(
                    KnowledgeError(.file, "\(source): line \(error.line): \(error.problem): the file is damaged, add the package again"))
            }
        }
    }

    /// The resource as an object; nil if it is not one of the release.
    ///
    /// - Throws: `KnowledgeError` with code `file` if its file cannot be read any more.
    package func resource(_ release: FHIRRelease) throws -> FHIRResource? {
        let text = try text
        return (try? FHIRJSON.lenientResource(from: text, release: release))?.resource
    }
}
