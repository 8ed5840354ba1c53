import Authentication
import Synchronization

/// A token store in memory that fails on demand.
final class BrokenStore: TokenStore {
    struct Failure: Error {}

    enum Work {
        case loading, saving
    }

    let base = MemoryTokenStore()
    private let broken = Mutex<Set<Work>>([])

    func breaks(_ work: Work) { broken.withLock { _ = $0.insert(work) } }

    func load() throws -> TokenSet? {
        guard !broken.withLock({ $0.contains(.loading) }) else { throw Failure() }
        return base.load()
    }

    func save(_ tokens: TokenSet?) throws {
        guard !broken.withLock({ $0.contains(.saving) }) else { throw Failure() }
        base.save(tokens)
    }
}
