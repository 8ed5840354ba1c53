public import Foundation
import Synchronization

/// A registration in memory: the app registers again with each start.
public final class WLMemoryRegistrationStore: WLRegistrationStore {
    private let data = Mutex<Data?>(nil)

    /// Creates an empty store.
    public init() {}

    /// The stored registration.
    public func load() -> Data? { data.withLock(\.self) }
    /// Replaces the registration.
    public func save(_ registration: Data?) { data.withLock { $0 = registration } }
}
