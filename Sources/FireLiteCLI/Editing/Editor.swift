import Foundation

/// The user's editor, on a text in a file that only the user can read.
struct Editor {
    /// The command of the editor, as a shell reads it: `vi`, `code --wait`.
    let command: String

    /// The editor that `VISUAL` or `EDITOR` names, or on a terminal vi.
    ///
    /// - Throws: `ToolError` with status 3 if there is no editor.
    init(_ console: Console) throws {
        let named = [console.environment["VISUAL"], console.environment["EDITOR"]].compactMap { $0 }.first { !$0.isEmpty }
        guard let command = named ?? (console.outputIsTerminal ? "vi" : nil) else {
            throw ToolError.failed("there is no terminal for an editor: name one in EDITOR, or use `firelite patch`")
        }
        self.command = command
    }

    /// A text that is being edited.
    final class Draft {
        private let folder: String
        let path: String

        /// - Parameter name: the name of the file, which editors show.
        init(_ text: String, named name: String) throws {
            folder = try OutputPath.temporaryFolder(holding: text, named: name)
            path = folder + "/" + name
        }

        func text() throws -> Data { try FileContents.bytes(of: path) }

        /// Deletes the file, and what the editor has put beside it.
        func discard() {
            // A file that cannot be deleted is one that the user sees in the message of the failure before.
            do { try FileManager.default.removeItem(atPath: folder) } catch {}
        }
    }

    /// Waits until the editor has ended.
    ///
    /// - Throws: `ToolError` with status 3 if it could not be started or failed.
    func edit(_ draft: Draft, _ environment: [String: String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "\(command) \"$1\"", "sh", draft.path]
        process.environment = environment
        do { try process.run() } catch { throw ToolError.failed("the editor '\(command)' could not be started: set EDITOR") }
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw ToolError.failed("the editor '\(command)' failed; nothing is stored")
        }
    }
}
