import PatchbayTestKit
import RequestModel

extension SeededGenerator {
    /// A random string of up to eight characters, many of them special in URLs.
    mutating func text() -> String {
        let characters = [
            "a", "B", "7", " ", "+", "&", "=", "%", "%4", "[]", "#", "?", "/", "~*", "ä", "e\u{301}", "Ж", "🎈", "\r\n",
            "\0",
        ]
        return (0..<Int.random(in: 0...8, using: &self)).map { _ in characters.randomElement(using: &self) ?? "" }
            .joined()
    }

    mutating func query() -> Query {
        Query(
            (0..<Int.random(in: 0...6, using: &self)).map { _ in
                Query.Item(text(), Bool.random(using: &self) ? text() : nil)
            }.filter { !$0.name.isEmpty || $0.value != nil })
    }
}
