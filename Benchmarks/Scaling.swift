import Foundation
import HTTPMessages
import JSON
import LocalStore
import RequestModel
import ResponseDecoding
import Transport

/// The time of one element for growing numbers of elements.
struct Series: Finding {
    let name: String
    let counts: [Int]
    let secondsPerElement: [Double]

    /// The time of an element among the most, divided by that among the fewest: about 1 for a linear algorithm.
    var growth: Double { (secondsPerElement.last ?? 0) / max(secondsPerElement.first ?? 1, 1e-12) }

    var title: String { "\(name), by number of elements" }
    var lines: [String] {
        let points = zip(counts, secondsPerElement).map { "\($0): \($1.asTime)" }
        return [points.joined(separator: ", "), "growth \(growth.text(2))"]
    }
}

private struct NumberedRow: Encodable {
    let id: Int
}

extension Harness {
    /// Measures what may become quadratic: the time of one element must not grow with the number of elements.
    func scaling() async throws -> [Series] {
        [
            try series("Fields appended") { count in
                let names = (0..<count).map { "X-Field-\($0)" }
                return {
                    var fields = HTTPFields()
                    for name in names { try fields.append(name, "value") }
                }
            },
            try series("Query parsed and written") { count in
                let text = (0..<count).map { "name\($0)=a+value" }.joined(separator: "&")
                return { expect(!Query(parsing: text).text().isEmpty) }
            },
            try series("Type encoded to a query") { count in
                let values = ["ids": Array(0..<count)]
                return { try expect(!Query(encoding: values).text().isEmpty) }
            },
            try series("URI template with a list") { count in
                let template = try URITemplate("/items{?ids*}")
                let ids = (0..<count).map(String.init)
                return { try expect(!template.expand(["ids": ids]).isEmpty) }
            },
            try series("Cookies set") { count in
                let cookies = try (0..<count).map { try Cookie("name\($0)", "value", domain: "example.com") }
                return {
                    let jar = CookieJar(limits: .init(perDomain: count + 1, total: count + 1))
                    for cookie in cookies { jar.set(cookie) }
                }
            },
            try series("JSON parsed") { count in
                let text = "[" + (0..<count).map { #"{"id":\#($0),"name":"a name"}"# }.joined(separator: ",") + "]"
                let data = Data(text.utf8)
                return { try expect(JSONValue(parsing: data).array?.count == count) }
            },
            try series("JSON decoded and encoded") { count in
                let records = (0..<count).map { ["id": $0] }
                return {
                    let data = try JSONCoding.standard.encode(records)
                    try expect(JSONCoding.standard.decode([[String: Int]].self, from: data).count == count)
                }
            },
            try parsed("Lines", by: LineParser()) { "line \($0)\n" },
            try parsed("Server-sent events", by: ServerSentEventParser()) { "data: event \($0)\n\n" },
            try series("Bytes of one line, each in a chunk") { count in
                { [byte = Data("a".utf8)] in
                    var parser = LineParser()
                    for _ in 0..<count {
                        parser.push(byte)
                        try expect(parser.next() == nil)
                    }
                    parser.finish()
                    try expect(parser.next()?.utf8.count == count)
                }
            },
            try series("Rows upserted in a MemoryStore, one by one") { count in
                {
                    let store = MemoryStore()
                    try store.createTable(TableSchema("item", columns: [.init("id", "INTEGER")], primaryKey: ["id"]))
                    try store.transaction {
                        for id in 0..<count { try store.upsert(NumberedRow(id: id), into: "item") }
                    }
                }
            },
        ]
    }

    private func parsed<Parser: ByteStreamParser>(
        _ name: String, by parser: Parser, _ element: (Int) -> String
    ) throws -> Series {
        try series("\(name) in one chunk") { count in
            let data = Data((0..<count).map(element).joined().utf8)
            return {
                var parser = parser
                parser.push(data)
                parser.finish()
                var found = 0
                while try parser.next() != nil { found += 1 }
                expect(found == count)
            }
        }
    }

    /// - Parameter prepare: makes the work for a number of elements.
    private func series(_ name: String, _ prepare: (Int) throws -> () throws -> Void) throws -> Series {
        let counts = [8, 64, 512, 4096, 32_768].filter { $0 <= count(32_768) }
        let times = try counts.map { elements in
            let work = try prepare(elements)
            let repeats = max(1, count(65_536) / elements)
            try work()
            let rounds = try (0..<max(3, rounds / 3)).map { _ in
                try cpuSeconds { for _ in 0..<repeats { try work() } } / Double(repeats * elements)
            }
            return rounds.median
        }
        return Series(name: name, counts: counts, secondsPerElement: times)
    }
}

/// Ends the program if the work is not done.
private func expect(_ isDone: Bool) { precondition(isDone) }
