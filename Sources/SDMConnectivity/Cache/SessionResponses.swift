import Foundation

/// Responses in memory, up to a number of bytes and of responses; the least recently used ones are evicted.
struct SessionResponses: Sendable {
    private struct Slot: Sendable {
        var response: CachedResponse
        var used: UInt64
    }

    /// The maximum number of responses, since those without a body have a size too.
    static let maximumCount = 1000

    let limit: Int
    private(set) var byteCount = 0
    private var slots: [String: Slot] = [:]
    private var counter: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    mutating func response(for key: String) -> CachedResponse? {
        counter += 1
        slots[key]?.used = counter
        return slots[key]?.response
    }

    mutating func insert(_ response: CachedResponse) {
        remove(response.metadata.key)
        guard response.body.count <= limit else { return }
        counter += 1
        slots[response.metadata.key] = Slot(response: response, used: counter)
        byteCount += response.body.count
        while byteCount > limit || slots.count > Self.maximumCount,
            let oldest = slots.min(by: { $0.value.used < $1.value.used })?.key
        {
            remove(oldest)
        }
    }

    mutating func remove(_ key: String) {
        if let slot = slots.removeValue(forKey: key) { byteCount -= slot.response.body.count }
    }

    mutating func removeAll() { self = SessionResponses(limit: limit) }
}
