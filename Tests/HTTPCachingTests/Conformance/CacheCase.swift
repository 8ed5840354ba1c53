import Foundation
import HTTPMessages
import JSON

/// A case of https://github.com/http-tests/cache-tests: what a client asks, what the server responds, what is expected.
struct CacheCase: Sendable, CustomStringConvertible {
    /// One request of a case.
    struct Step: Sendable {
        let json: JSONValue

        func flag(_ name: String) -> Bool { json[name]?.bool ?? false }
        func text(_ name: String) -> String? { json[name]?.string }
        func list(_ name: String) -> [JSONValue] { json[name]?.array ?? [] }
        func has(_ name: String) -> Bool { json.object?[name] != nil }

        var expectedType: String? { text("expected_type") }
        var responseStatus: Int? { list("response_status").first?.integer.map { Int($0) } }

        /// True if a failed check says that the case could not be set up, and nothing about the cache.
        func isSetup(_ check: String) -> Bool {
            flag("setup") || list("setup_tests").contains { $0.string == check }
        }
    }

    enum Kind: String, Sendable, CaseIterable { case required, optimal, check }

    let id: String
    let name: String
    let suite: String
    let kind: Kind
    let isForCDNs: Bool
    /// True if a browser need not run it.
    let skipsBrowsers: Bool
    let steps: [Step]

    init?(_ json: JSONValue, suite: String) {
        guard let id = json["id"]?.string, let name = json["name"]?.string, let requests = json["requests"]?.array
        else {
            return nil
        }
        (self.id, self.name, self.suite) = (id, name, suite)
        kind = json["kind"]?.string.flatMap(Kind.init) ?? .required
        isForCDNs = json["cdn_only"]?.bool ?? false
        skipsBrowsers = json["browser_skip"]?.bool ?? false
        steps = requests.map(Step.init)
    }

    var description: String { id }

    /// The cases of the corpus' file.
    static func all(_ data: Data) throws -> [CacheCase] {
        try (JSONValue(parsing: data).array ?? []).flatMap { suite in
            let id = suite["id"]?.string ?? ""
            return (suite["tests"]?.array ?? []).compactMap { CacheCase($0, suite: id) }
        }
    }
}
