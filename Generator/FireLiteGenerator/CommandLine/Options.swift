import Foundation

/// The options of the command line.
struct Options: Equatable {
    var release: String?
    var definitions: String?
    var descriptions: String?
    var updatesDigest = false
    /// Empty for all.
    var resources: [String] = []
    var isCheck = false
    var templates: String?
    var output: String?
    var layouts: String?
    var names: String?
    var module: String?
    var settings: String?
    var digest: String?
    var package: String?
    var hasExtensions = false
    var isHelp = false

    static let help = """
        Generates the Swift code of FHIR releases.

        usage: Generator [options]

          --release NAME        only this release, such as R4 (default: every digest in Generator/Definitions)
          --definitions PATH    read an official FHIR definitions package (a folder of JSON) instead of the digest
          --update-digest       rewrite the release's digest from --definitions
          --descriptions PATH   put FHIR's short descriptions of classes and elements from this definitions package
                                into the doc comments; needs --output
          --resources NAMES     a slim module: only these resources, separated by commas, and the types they need;
                                needs --output
          --check               write nothing; list the files on disk that differ, and exit with status 1 if any do
          --settings FILE       take names, templates and more from this JSON file, see Templates/README.md; needs --output
          --templates DIR       use the templates of this folder before those of Templates
          --output DIR          write one release's code here (default: Sources/FireLite<release>/Generated)
          --layouts FILE        write one release's layouts here, for FHIRRelease(layouts:) and firelite --release FILE,
                                and no code unless --output is given
          --names DIR           also write aliases of the types into this folder, for a module that imports --module:
                                `R4.Task` in files where `Task` is Swift's; needs --output
          --module NAME         the module that gets the code, for --names
          --extensions          also write Extensions.swift, which FireLite's own modules have by hand; --resources implies it
          --digest FILE         read this digest, or write it with --update-digest, instead of the release's
          --package DIR         take digests and templates from this checkout of FireLite (default: the folder above here)
          --help                show this

        A folder for code contains only generated files. Any other file in it, except hidden ones, is an error
        and is never overwritten or removed.

        Exit status: 0 success; 1 --check found differences; 2 an argument, a definition or a template is wrong.
        """

    /// - Throws: `GeneratorError` for an argument that is unknown or incomplete, or excludes another.
    static func parse(_ arguments: [String]) throws -> Options {
        var options = Options()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            func value() throws -> String {
                guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
                    throw GeneratorError("\(argument) needs a value, see --help")
                }
                return value
            }
            switch argument {
            case "--release": options.release = try name(try value(), argument)
            case "--definitions": options.definitions = try value()
            case "--descriptions": options.descriptions = try value()
            case "--update-digest": options.updatesDigest = true
            case "--resources": options.resources += try names(try value(), argument)
            case "--check": options.isCheck = true
            case "--templates": options.templates = try value()
            case "--output": options.output = try value()
            case "--layouts": options.layouts = try value()
            case "--names": options.names = try value()
            case "--module": options.module = try swiftName(try value(), argument)
            case "--settings": options.settings = try value()
            case "--digest": options.digest = try value()
            case "--package": options.package = try value()
            case "--extensions": options.hasExtensions = true
            case "--help", "-h": options.isHelp = true
            default: throw GeneratorError("unknown argument \(argument), see --help")
            }
        }
        if options.settings == nil { try options.check() }
        return options
    }

    /// A copy with what the settings say and the arguments do not.
    ///
    /// - Throws: `GeneratorError` for an argument that excludes another or lacks one.
    func filled(from settings: Settings) throws -> Options {
        var options = self
        if options.release == nil { options.release = settings.release?.text }
        if options.resources.isEmpty { options.resources = settings.resources.map(\.text) }
        if options.templates == nil { options.templates = settings.templates?.text }
        if options.definitions == nil { options.definitions = settings.definitions?.text }
        if options.descriptions == nil { options.descriptions = settings.descriptions?.text }
        if options.digest == nil { options.digest = settings.digest?.text }
        try options.check()
        return options
    }

    private func check() throws {
        if updatesDigest, definitions == nil { throw GeneratorError("--update-digest needs --definitions, see --help") }
        if !resources.isEmpty, output == nil, layouts == nil {
            throw GeneratorError("--resources needs --output, a folder for the slim module's code, see --help")
        }
        if descriptions != nil, output == nil {
            throw GeneratorError("--descriptions needs --output, since the package's own code contains no text of FHIR's, see --help")
        }
        if (names == nil) != (module == nil) {
            throw GeneratorError("--names, a folder for aliases, and --module, the module with the types, need each other, see --help")
        }
        if let names { try check(namesFolder: names) }
        for (option, isThere) in [("--settings", settings != nil), ("--extensions", hasExtensions), ("--digest", digest != nil)]
        where isThere && output == nil && layouts == nil {
            throw GeneratorError("\(option) needs --output, since the package's own code is made without it, see --help")
        }
    }

    private static func name(_ text: String, _ argument: String) throws -> String {
        guard Identifier.isTypeName(text) else { throw GeneratorError("\(argument) needs a name, not `\(text)`") }
        return text
    }

    /// A folder for code contains only that, so the aliases need another one.
    private func check(namesFolder names: String) throws {
        guard let output else { throw GeneratorError("--names needs --output, the folder for the code of the module, see --help") }
        let folders = [names, output].map { URL(fileURLWithPath: $0).standardizedFileURL.path + "/" }
        if folders[0].hasPrefix(folders[1]) || folders[1].hasPrefix(folders[0]) {
            throw GeneratorError("--names needs a folder of another target: `\(names)` and --output, `\(output)`, contain one another")
        }
    }

    private static func swiftName(_ text: String, _ argument: String) throws -> String {
        guard Identifier.isSwiftName(text) else { throw GeneratorError("\(argument) needs the name of a module, not `\(text)`") }
        return text
    }

    private static func names(_ text: String, _ argument: String) throws -> [String] {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy(Identifier.isTypeName) else {
            throw GeneratorError("\(argument) needs names separated by commas, not `\(text)`")
        }
        return names
    }
}
