/// A place in a text file.
public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    /// The file as the user would name it.
    public var file: String
    /// Line from 1; 0 means the file as a whole.
    public var line: Int
    /// Column from 1, counted in bytes of UTF-8; 0 means the line as a whole.
    public var column: Int

    /// A place by line and column, a line, or a whole file.
    public init(file: String, line: Int = 0, column: Int = 0) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `file:line:column`, with as much as is known.
    public var description: String {
        if line == 0 { return file }
        if column == 0 { return "\(file):\(line)" }
        return "\(file):\(line):\(column)"
    }
}
