extension JSONScanner {
    /// What a scanner expected at an offset; the text is part of the error message. Other modules add their own.
    package struct Expectation: Equatable, Sendable {
        /// The text after "expected".
        package let text: StaticString

        package init(_ text: StaticString) { self.text = text }

        package static func == (left: Self, right: Self) -> Bool { "\(left.text)" == "\(right.text)" }
    }

    /// Reason for stopping. At the end of a part of a stream it means that more bytes are needed.
    package struct Stop: Error {
        /// Offset in the scanned bytes.
        package let offset: Int
        package let expected: Expectation

        package init(offset: Int, expected: Expectation) {
            self.offset = offset
            self.expected = expected
        }
    }
}

extension JSONScanner.Expectation {
    package static var list: Self { Self("the [ of the list") }
    package static var object: Self { Self("the { of the object") }
    package static var name: Self { Self("a quoted member name") }
    package static var colon: Self { Self("a colon") }
    package static var value: Self { Self("a value") }
    package static var text: Self { Self("a string") }
    package static var bool: Self { Self("true or false") }
    package static var commaOrBrace: Self { Self("a comma or }") }
    package static var commaOrBracket: Self { Self("a comma or ]") }
    package static var commaOrEnd: Self { Self("a comma or a closing bracket") }
    package static var endOfText: Self { Self("the end of the JSON text") }
    package static var shorterItem: Self { Self("an item within the maximum length") }
    package static var lessNesting: Self { Self("at most 100 levels of nesting") }
    package static var nestingWithinLimit: Self { Self("nesting within the maximum depth") }
    package static var shorterString: Self { Self("a string of less than 4 GiB") }
    package static var fewerValues: Self { Self("fewer than 4,294,967,295 values") }
    package static var character: Self { Self("a character or a quote (control characters must be escaped)") }
    package static var escape: Self { Self("a valid JSON escape sequence") }
    package static var hexadecimal: Self { Self("a hexadecimal digit") }
    package static var surrogate: Self { Self("both halves of a surrogate pair") }
    package static var utf8: Self { Self("valid UTF-8") }
    package static var digit: Self { Self("a digit") }
    package static var number: Self { Self("a number without leading zeros") }
    package static var finite: Self { Self("a number in the range of a double") }

    // Rows
    package static var row: Self { Self("a row") }
    package static var knownColumn: Self { Self("a column of the table") }
    package static var newColumn: Self { Self("each column at most once in a row") }
    package static var moreCells: Self { Self("one cell for each column, but there are too few") }
    package static var endOfCells: Self { Self("one cell for each column, but there are too many") }
}
