import HTTPMessages

/// Reproducible random faults with weights.
///
/// ```swift
/// let faults = RandomFaults(seed: 42, noFault: 8, [.reset(.inBody): 1, .status(.serviceUnavailable): 1])
/// let server = try LoopbackServer(script: { [.respond(with: service, fault: faults[$0.number])] })
/// let transport = ScriptedTransport((0..<100).map { .service(service, with: faults[$0]) })
/// ```
///
/// The fault of a request depends only on the seed and the request's number. Equal seeds give equal faults on every
/// platform. Put `description`, which has the seed, into test failure messages.
public struct RandomFaults: Sendable, CustomStringConvertible {
    /// The seed of the random numbers.
    public let seed: UInt64
    private let noFault: Int
    private let weights: [(fault: Fault, weight: Int)]
    private let total: Int

    /// Creates faults with relative weights; negative ones count as zero.
    /// - Parameters:
    ///   - noFault: the weight of responses without a fault.
    ///   - weights: the weight of each fault.
    public init(seed: UInt64, noFault: Int = 7, _ weights: KeyValuePairs<Fault, Int> = Self.immediateFaults) {
        self.seed = seed
        self.noFault = max(0, noFault)
        self.weights = weights.map { ($0.key, max(0, $0.value)) }
        total = self.weights.reduce(self.noFault) { $0 + $1.weight }
    }

    /// The faults that end a request at once and do not affect other requests, each with the weight 1.
    ///
    /// None of them loses a response without a body after its service was called: `.reset(.inHead)` does.
    public static let immediateFaults: KeyValuePairs<Fault, Int> = [
        .reset(.beforeHead): 1, .reset(.inBody): 1, .close(.beforeHead): 1, .close(.inBody): 1, .overstatedLength: 1,
        .status(.internalServerError): 1, .status(.serviceUnavailable): 1,
    ]

    /// The fault of a request by its number, from 0; nil for no fault.
    public subscript(number: Int) -> Fault? {
        guard total > 0 else { return nil }
        var generator = SeededGenerator(seed: seed ^ (UInt64(bitPattern: Int64(number)) &* 0xD1B5_4A32_D192_ED03))
        var remainder = Int(generator.next() % UInt64(total)) - noFault
        if remainder < 0 { return nil }
        for (fault, weight) in weights {
            if remainder < weight { return fault }
            remainder -= weight
        }
        return nil
    }

    /// The seed and the weights.
    public var description: String {
        let parts = ["no fault: \(noFault)"] + weights.map { "\($0.fault): \($0.weight)" }
        return "random faults with seed \(seed) (\(parts.joined(separator: ", ")))"
    }
}
