import HTTPMessages
import PatchbayTestKit
import Testing

@Suite struct HTTPFieldsTests {
    private func lines(_ fields: HTTPFields) -> [String] { fields.map { "\($0.name)=\($0.value)" } }

    @Test func `order and case of names are preserved`() throws {
        var fields = try HTTPFields(["B": "1", "a": "2"])
        try fields.append("C", "3")
        try fields.append("b", "4")
        #expect(lines(fields) == ["B=1", "a=2", "C=3", "b=4"])
        #expect(try lines(HTTPFields([("x", "1"), ("X", "2")])) == ["x=1", "X=2"])
    }

    @Test(arguments: [["A": "1", "B\n": "2", "C": "\0"], ["A": "1", "C": "\0", "B\n": "2"]] as [HTTPFields])
    func `an invalid entry of a literal is not stored, and the first one's error is kept`(fields: HTTPFields) throws {
        #expect(lines(fields) == ["A=1"])
        #expect(throws: HTTPMessageError.self) { try fields.validate() }
        #expect(throws: HTTPMessageError.self) { try HTTPFields().merging(fields).validate() }
        let valid: HTTPFields = ["Set-Cookie": "a", "set-cookie": "b"]
        #expect(lines(valid) == ["Set-Cookie=a", "set-cookie=b"])
        try valid.validate()
        let empty: HTTPFields = [:]
        #expect(empty.isEmpty && empty == HTTPFields())
    }

    @Test func `lookup ignores the case of names`() throws {
        let fields = try HTTPFields(["Content-Type": "a/b", "X-Two": "1", "x-two": "2"])
        #expect(fields["CONTENT-type"] == "a/b")
        #expect(fields[.contentType] == "a/b")
        #expect(fields["x-TWO"] == "1, 2")
        #expect(try fields.values(of: HTTPFieldName("X-TWO")) == ["1", "2"])
        #expect(fields.contains(.contentType) && !fields.contains(.accept))
        #expect(fields["none"] == nil)
        #expect(fields["not a name"] == nil)
        #expect(fields.values(of: .accept).isEmpty)
    }

    @Test func `set replaces all values at the position of the first`() throws {
        var fields = try HTTPFields(["A": "1", "B": "2", "a": "3", "C": "4"])
        try fields.set("a", to: "9")
        #expect(lines(fields) == ["a=9", "B=2", "C=4"])
        try fields.set("D", to: "5")
        #expect(lines(fields) == ["a=9", "B=2", "C=4", "D=5"])
        #expect(throws: HTTPMessageError.self) { try fields.set("B", to: "\r\n") }
        #expect(throws: HTTPMessageError.self) { try fields.append("B\n", "") }
        #expect(lines(fields) == ["a=9", "B=2", "C=4", "D=5"])
    }

    @Test func `lines of one name are combined, those of cookies by semicolons`() throws {
        var fields = try HTTPFields(["A": "1", "Cookie": "a=1", "a": "2", "B": "3", "cookie": "b=2", "A": "4"])
        #expect(fields[.cookie] == "a=1; b=2")
        fields.combineLines()
        #expect(lines(fields) == ["A=1, 2, 4", "Cookie=a=1; b=2", "B=3"])
    }

    @Test func `remove deletes all values of a name`() throws {
        var fields = try HTTPFields(["Accept": "1", "B": "2", "accept": "3"])
        fields.remove(.accept)
        fields.remove(.cookie)
        #expect(lines(fields) == ["B=2"])
    }

    @Test func `merging replaces all values of a name`() throws {
        let base = try HTTPFields(["A": "1", "B": "2", "a": "3", "C": "4"])
        let other = try HTTPFields(["b": "5", "A": "6", "B": "7"])
        #expect(lines(base.merging(other)) == ["C=4", "b=5", "A=6", "B=7"])
        #expect(base.merging(HTTPFields()) == base)
        #expect(HTTPFields().merging(other) == other)
    }

    @Test func `only control characters are rejected`() throws {
        for byte in UInt8(0)...255 {
            let value = "a" + String(Unicode.Scalar(byte)) + "b"
            var fields = HTTPFields()
            if byte == 9 || (byte >= 0x20 && byte != 0x7F) {
                try fields.append("X", value)
                #expect(fields["X"] == value)
            } else {
                let error = #expect(throws: HTTPMessageError.self) { try fields.append("X", value) }
                #expect(error?.code == .invalidFieldValue)
                #expect(fields.isEmpty)
            }
        }
        #expect(throws: HTTPMessageError.self) { try HTTPFields(["X": "a\r\nSet-Cookie: b"]) }
        #expect(try HTTPFields(["X": "Grüße 😀"])["X"] == "Grüße 😀")
    }

    @Test func `whitespace around a value is trimmed`() throws {
        #expect(try HTTPFields(["X": " \ta b\t "])["X"] == "a b")
        #expect(try HTTPFields(["X": "  "])["X"] == "")
    }

    @Test func `fields are a collection`() throws {
        let fields = try HTTPFields(["A": "1", "B": "2"])
        #expect(fields.count == 2 && !fields.isEmpty && fields[1].value == "2")
        #expect(fields.last?.name.rawName == "B")
        #expect(try fields == HTTPFields(["a": "1", "b": "2"]))
        #expect(try fields != HTTPFields(["B": "2", "A": "1"]))
    }

    @Test func `descriptions show no secrets`() throws {
        let fields = try HTTPFields([
            "Authorization": "Basic sesame", "Accept": "text/plain", "X-Ak-Session-Id": "sesame",
            "Set-Cookie": "a=sesame", "x-api-key": "sesame", "Proxy-Authorization": "sesame",
        ])
        let text = everyText(of: fields)
        #expect(text.contains("Accept: text/plain") && text.contains("Authorization: <redacted>"))
        #expect(!text.contains("sesame"))
        for field in fields { #expect(!everyText(of: field).contains("sesame")) }
        #expect(!everyText(of: fields.map { $0 }).contains("sesame"))
        let error = #expect(throws: HTTPMessageError.self) { try HTTPFields(["Accept": "sesame\n"]) }
        #expect(error.map { everyText(of: $0).contains("sesame") } == false)
    }

    @Test func `random changes match a list of pairs`() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var fields = HTTPFields()
            var pairs: [(name: String, value: String)] = []
            for _ in 0..<20 {
                let name = ["a", "A", "b", "C"].randomElement(using: &generator) ?? "a"
                let value = String(Int.random(in: 0..<100, using: &generator))
                let key = name.lowercased()
                switch Int.random(in: 0..<3, using: &generator) {
                case 0:
                    try fields.append(name, value)
                    pairs.append((name, value))
                case 1:
                    try fields.set(name, to: value)
                    let first = pairs.firstIndex { $0.name.lowercased() == key } ?? pairs.count
                    pairs.removeAll { $0.name.lowercased() == key }
                    pairs.insert((name, value), at: first)
                default:
                    fields.remove(try HTTPFieldName(name))
                    pairs.removeAll { $0.name.lowercased() == key }
                }
            }
            #expect(lines(fields) == pairs.map { "\($0.name)=\($0.value)" })
        }
    }
}
