import Foundation

@main
enum Main {
    static func main() async {
        do {
            print(try await DiaryCommand.run(Array(CommandLine.arguments.dropFirst())), terminator: "")
        } catch {
            FileHandle.standardError.write(Data("diary: \(error.localizedDescription)\n".utf8))
            exit((error as? CommandError)?.status ?? 1)
        }
    }
}
