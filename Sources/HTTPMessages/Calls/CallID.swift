import Synchronization

/// The identity of one call through a stack of layers, for events, logs and traces.
///
/// All requests of a call have the same (``RequestOptions/callID``). It is unique in the process, and very likely among
/// processes.
public struct CallID: Hashable, Sendable {
    /// Both halves: a random number of the process, and the number of the call.
    public let rawValue: UInt64

    /// Creates an ID from the number of another one.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    private static let process = UInt64(UInt32.random(in: 1 ... .max)) << 32
    private static let count = Atomic<UInt64>(0)

    /// Makes a new ID.
    public static func next() -> CallID {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        return CallID(rawValue: process &+ number)
    }
}

extension CallID: LosslessStringConvertible {
    /// Two hexadecimal numbers, such as `5f3a90c1-2b`.
    public var description: String {
        "\(String(rawValue >> 32, radix: 16))-\(String(rawValue & 0xFFFF_FFFF, radix: 16))"
    }

    /// Reads a ``description``; nil for any other text.
    public init?(_ description: String) {
        let halves = description.split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count == 2, let high = UInt32(halves[0], radix: 16), let low = UInt32(halves[1], radix: 16) else {
            return nil
        }
        rawValue = UInt64(high) << 32 | UInt64(low)
    }
}
