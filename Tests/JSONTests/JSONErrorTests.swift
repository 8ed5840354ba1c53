import JSON
import Testing

@Suite struct JSONErrorTests {
    @Test func `the description has message and code`() {
        let error = JSONError(.invalidValue, "Wrong.")
        #expect("\(error)" == "Wrong. [invalidValue]")
        #expect(error.code == .invalidValue && error.code != .invalidSyntax)
        #expect(error == JSONError(.invalidValue, "Wrong."))
    }

    @Test(arguments: [
        ("[1 2]", "Invalid JSON at byte 3: expected a comma or ]."),
        ("[1", "Invalid JSON at byte 2: unexpected end, expected a comma or ]."),
        (" 1 x", "Invalid JSON at byte 3: expected the end of the JSON text."),
        ("", "Invalid JSON at byte 0: unexpected end, expected a value."),
        ("01", "Invalid JSON at byte 1: expected a number without leading zeros."),
        ("[1e400]", "Invalid JSON at byte 1: expected a number in the range of a double."),
    ])
    func `a syntax error says what was expected`(text: String, message: String) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.message == message)
    }
}
