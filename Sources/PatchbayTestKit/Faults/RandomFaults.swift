import HTTPMessages

/// Faults drawn at random, each with a weight; the seed decides all of them.
///
/// ```swift
/// let faults = RandomFaults(seed: 42, sound: 8, [.reset(.inBody): 1, .status(.serviceUnavailable): 1])
/// let server = try LoopbackServer(plan: { [.answer(by: service, with: faults[$0.number])] })
/// let transport = ScriptedTransport((0..<100).map { .service(service, with: faults[$0]) })
/// ```
///
/// The fault of a request depends on the seed and the request's number only, not on who asked before. The same seed
/// gives the same faults on every platform. `description` has the seed: put it into a test's message.
public struct RandomFaults: Sendable, CustomStringConvertible {
    /// What decides all of them.
    public let seed: UInt64
    private let sound: Int
    private let weights: [(fault: Fault, weight: Int)]
    private let total: Int

    /// Faults of these weights.
    /// - Parameters:
    ///   - sound: the weight of answers without a fault. Weights below zero count as zero.
    ///   - weights: how often each fault comes, compared to the others; by default every kind that ends a call soon.
    public init(seed: UInt64, sound: Int = 7, _ weights: KeyValuePairs<Fault, Int> = Self.endings) {
        self.seed = seed
        self.sound = max(0, sound)
        self.weights = weights.map { ($0.key, max(0, $0.value)) }
        total = self.weights.reduce(self.sound) { $0 + $1.weight }
    }

    /// Each fault that ends a call at once and spoils one request only, with the weight 1.
    public static let endings: KeyValuePairs<Fault, Int> = [
        .reset(.beforeHead): 1, .reset(.inBody): 1, .close(.beforeHead): 1, .close(.inBody): 1,
        .overstatedLength: 1, .status(.internalServerError): 1, .status(.serviceUnavailable): 1,
    ]

    /// The fault of the request of this number, counted from 0; nil for a sound answer.
    public subscript(number: Int) -> Fault? {
        guard total > 0 else { return nil }
        var generator = SeededGenerator(seed: seed ^ (UInt64(bitPattern: Int64(number)) &* 0xD1B5_4A32_D192_ED03))
        var place = Int(generator.next() % UInt64(total)) - sound
        if place < 0 { return nil }
        for (fault, weight) in weights {
            if place < weight { return fault }
            place -= weight
        }
        return nil
    }

    /// The seed and the weights.
    public var description: String {
        let parts = ["sound: \(sound)"] + weights.map { "\($0.fault): \($0.weight)" }
        return "random faults of seed \(seed) (\(parts.joined(separator: ", ")))"
    }
}
