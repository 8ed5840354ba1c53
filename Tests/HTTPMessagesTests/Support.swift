import Foundation
import PatchbayTestKit

extension SeededGenerator {
    /// A random string of up to eight characters, many of them special in URLs.
    mutating func urlText() -> String {
        let characters = [
            "a", "B", "7", " ", "+", "=", "%", "%4", "[]", "#", "?", "/", "..", "ä", "e\u{301}", "🎈", "\r\n", "\0",
        ]
        return (0..<Int.random(in: 0...8, using: &self)).map { _ in characters.randomElement(using: &self) ?? "" }
            .joined()
    }
}

/// The output of `dump`, `String(reflecting:)` and interpolation.
func everyText(of value: some Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value)\n\(String(reflecting: value))\n\(dumped)\n\(Optional.some(value) as Any)"
}
