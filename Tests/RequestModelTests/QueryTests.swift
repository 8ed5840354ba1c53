import RequestModel
import Testing

@Suite struct QueryTests {
    private let query: Query = ["a": "1", "b": .flag, "a": "2", "c": ""]

    @Test func `finds values by name`() {
        #expect(query["a"] == "1")
        #expect(query["b"] == nil)
        #expect(query["c"] == "")
        #expect(query.values(of: "a") == ["1", "2"])
        #expect(query.values(of: "b") == [""])
        #expect(query.contains("b") && !query.contains("B"))
        #expect(query.map(\.name) == ["a", "b", "a", "c"])
    }

    @Test func `a literal leaves out nil, and a flag is a name without a value`() {
        let (none, seven): (String?, Int?) = (nil, 7)
        let query: Query = ["status": none, "limit": 3, "page": seven, "archived": .flag, "x": nil]
        #expect(query.text() == "limit=3&page=7&archived")
        #expect(Query(["status": none, "state": "open"]).text() == "state=open")
        #expect(query == ["limit": "3", "page": "7", "archived": QueryFlag()])
    }

    private enum State: String, QueryConvertible {
        case open, closed
    }

    private enum Level: Int, QueryConvertible {
        case high = 3
    }

    /// A raw value with a text of its own.
    private struct Code: RawRepresentable, LosslessStringConvertible, QueryConvertible {
        let rawValue: Int
        var description: String { "c\(rawValue)" }
        init?(rawValue: Int) { self.rawValue = rawValue }
        init?(_ description: String) { return nil }
    }

    @Test func `a literal takes raw values and numbers with a fraction`() {
        let (state, none): (State, State?) = (.open, nil)
        let query: Query = [
            "state": state, "other": State.closed, "none": none, "level": Level.high, "code": Code(rawValue: 7),
            "min": 1.5, "max": Float(2), "page": 2,
        ]
        #expect(query.text() == "state=open&other=closed&level=3&code=c7&min=1.5&max=2.0&page=2")
    }

    @Test func `set replaces at the position of the first`() {
        var changed = query
        changed.set("a", to: "3")
        #expect(changed == ["a": "3", "b": .flag, "c": ""])
        changed.set("d", to: nil)
        #expect(changed == ["a": "3", "b": .flag, "c": "", "d": .flag])
        changed.remove("b")
        #expect(changed == ["a": "3", "c": "", "d": .flag])
    }

    @Test func `merges by name`() {
        let other: Query = ["a": "9", "A": "8", "a": "7"]
        #expect(query.merging(other) == ["b": .flag, "c": "", "a": "9", "A": "8", "a": "7"])
        #expect(query.merging(Query()) == query)
        #expect(Query().merging(other) == other)
        #expect(query.appending(other).count == 7)
    }

    @Test func `merges many names like few`() {
        let base = Query((0..<100).map { ("n\($0)", "base") })
        let call = Query((50..<150).map { ("n\($0)", "call") })
        let merged = base.merging(call)
        #expect(merged.count == 150)
        #expect(merged["n49"] == "base")
        #expect(merged.values(of: "n50") == ["call"])
    }

    @Test func `compares bytewise`() {
        let composed: Query = ["\u{E9}": "1"]
        let decomposed: Query = ["e\u{301}": "1"]
        #expect(composed != decomposed)
        #expect(composed.merging(decomposed).count == 2)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed["e\u{301}"] == nil)
    }

    @Test func `descriptions show no secrets`() {
        let query: Query = ["page": "2", "api_key": "hunter2", "token": .flag]
        #expect(query.description == "page=2&api_key=<redacted>&token")
        var dumped = ""
        dump(query, to: &dumped)
        for text in [dumped, "\(query)", String(reflecting: query), "\(query.map(\.self))"] {
            #expect(!text.contains("hunter2"))
        }
    }
}
