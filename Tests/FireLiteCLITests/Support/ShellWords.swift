/// The words of a line as a shell reads it: quotation marks, backslashes, comments; up to a pipe or a redirection.
enum ShellWords {
    static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isWord = false
        var quote: Character?
        var rest = line[...]
        func end() {
            if isWord { words.append(word) }
            (word, isWord) = ("", false)
        }
        while let character = rest.popFirst() {
            if let open = quote {
                if character == open {
                    quote = nil
                } else if character == "\\", open == "\"", let next = rest.popFirst() {
                    word.append(next)
                } else {
                    word.append(character)
                }
            } else if character == "'" || character == "\"" {
                (quote, isWord) = (character, true)
            } else if character == "\\", let next = rest.popFirst() {
                word.append(next)
                isWord = true
            } else if character == "|" || character == ">" || (character == "#" && !isWord) {
                break
            } else if character.isWhitespace {
                end()
            } else {
                word.append(character)
                isWord = true
            }
        }
        end()
        return words
    }
}
