import FireLiteGenerator
import FireLiteProfileReader
import Foundation

let outcome = GeneratorCommand.run(Array(CommandLine.arguments.dropFirst()), profiles: PackageProfiles())
if !outcome.output.isEmpty { print(outcome.output) }
if !outcome.error.isEmpty { FileHandle.standardError.write(Data((outcome.error + "\n").utf8)) }
exit(outcome.status)
