import RequestModel

/// A small generator with a seed, so that a failing case can be run again.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A text of up to eight characters, of which many mean something in a URL.
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
