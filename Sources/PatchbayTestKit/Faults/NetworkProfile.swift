/// A slow or lossy network, for fakes and for the loopback server.
///
/// ```swift
/// let transport = FakeTransport { $0.response() }.throttled(by: .mobile2G, clock: clock)
/// let server = try LoopbackServer(service: service, profile: .mobile3G)
/// ```
///
/// What happens to a request depends only on the seed and the request's number: equal profiles give equal networks in
/// each run. Put `description`, which has the seed, into test failure messages.
public struct NetworkProfile: Hashable, Sendable, CustomStringConvertible {
    /// The time of a round trip: from the end of the request to the head of the response.
    public var latency: Duration
    /// The longest time that is added to the latency of a request, at random.
    public var jitter: Duration
    /// Bytes per second to the server; nil for no limit.
    public var upload: Int?
    /// Bytes per second from the server; nil for no limit.
    public var download: Int?
    /// The share of requests that lose their connection, 0 to 1: half of them before the head, half in the body.
    ///
    /// A response without a body is lost as a whole then: its service was called.
    public var loss: Double
    /// The seed of the random numbers.
    public var seed: UInt64

    /// Creates a profile; negative numbers count as zero, and a rate of less than one byte as one.
    public init(
        latency: Duration = .zero, jitter: Duration = .zero, upload: Int? = nil, download: Int? = nil, loss: Double = 0,
        seed: UInt64 = 0
    ) {
        self.latency = latency
        self.jitter = jitter
        self.upload = upload
        self.download = download
        self.loss = loss
        self.seed = seed
    }

    /// A network at home: 20 ms, 1 and 4 MB per second.
    public static let wifi = NetworkProfile(
        latency: .milliseconds(20), jitter: .milliseconds(5), upload: 1_000_000, download: 4_000_000)
    /// A mobile network of the third generation: 200 ms, 40 and 100 KB per second.
    public static let mobile3G = NetworkProfile(
        latency: .milliseconds(200), jitter: .milliseconds(100), upload: 40_000, download: 100_000)
    /// A mobile network of the second generation: 650 ms, 5 and 30 KB per second.
    public static let mobile2G = NetworkProfile(
        latency: .milliseconds(650), jitter: .milliseconds(350), upload: 5_000, download: 30_000)
    /// A network that loses one connection in ten.
    public static let lossy = NetworkProfile(latency: .milliseconds(100), jitter: .milliseconds(100), loss: 0.1)

    /// The profile with another seed.
    public func seeded(_ seed: UInt64) -> NetworkProfile {
        var profile = self
        profile.seed = seed
        return profile
    }

    /// What happens to one request.
    public struct Conditions: Hashable, Sendable {
        /// The time from the end of the request to the head of the response.
        public let latency: Duration
        /// Where the connection is lost; nil if it is not.
        public let loss: Loss?
    }

    /// Where a connection is lost.
    @nonexhaustive public enum Loss: Hashable, Sendable {
        /// Before the head of the response.
        case beforeHead
        /// In the body, after a share of its bytes, 0 to 1.
        case inBody(Double)
    }

    /// The conditions of a request by its number, from 0.
    public subscript(number: Int) -> Conditions {
        var generator = SeededGenerator(seed: seed ^ (UInt64(bitPattern: Int64(number)) &* 0xD1B5_4A32_D192_ED03))
        // Not by `Double.random`, whose numbers may change with the standard library.
        func fraction() -> Double { Double(generator.next() >> 11) / Double(1 << 53) }
        let extra = max(.zero, jitter) * fraction()
        let isLost = fraction() < loss
        let loss: Loss = fraction() < 0.5 ? .beforeHead : .inBody(fraction())
        return Conditions(latency: max(.zero, latency) + extra, loss: isLost ? loss : nil)
    }

    /// The time of bytes at a rate.
    static func time(of bytes: Int, at rate: Int?) -> Duration {
        guard let rate else { return .zero }
        return .seconds(Double(bytes) / Double(max(1, rate)))
    }

    /// The numbers.
    public var description: String {
        func text(_ rate: Int?) -> String { rate.map { "\($0) bytes per second" } ?? "no limit" }
        return "network with seed \(seed) (latency: \(latency) to \(latency + jitter), upload: \(text(upload)), "
            + "download: \(text(download)), loss: \(loss))"
    }
}
