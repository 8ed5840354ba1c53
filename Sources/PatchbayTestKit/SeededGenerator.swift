/// A deterministic random number generator: SplitMix64 (Steele, Lea and Flood, 2014).
///
/// Equal seeds give equal numbers from ``next()`` on every platform and in every version. The standard library's
/// algorithms over them, such as `Int.random(in:using:)` and `shuffled(using:)`, may change between its versions.
///
/// ```swift
/// var generator = SeededGenerator(seed: 42)
/// let jitter = Double.random(in: 0..<1, using: &generator)
/// ```
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Creates a generator from any seed.
    public init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
