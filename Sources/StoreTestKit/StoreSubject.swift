public import Foundation
public import PatchbayTestKit
public import StoreCore

/// A store under test by ``StoreConformance``: a factory, its capabilities and its exclusions.
///
/// ```swift
/// let memory = StoreSubject("MemoryStore", capabilities: [.concurrentReads]) { _ in MemoryStore() }
/// ```
public struct StoreSubject: TestSubject {
    /// An optional property of stores that some cases require.
    public struct Capability: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        /// The capability as text.
        public var description: String { name }

        /// Threads read while another one writes, and all calls work within a read of the same thread.
        ///
        /// Without it, a call within a read works or throws `misuse`.
        public static let concurrentReads = Capability("concurrent reads")

        /// The factory passes a busy timeout to its stores; set by
        /// ``StoreSubject/init(_:capabilities:exclusions:makeWithTimeout:)``.
        public static let busyTimeout = Capability("busy timeout")
    }

    /// The name in failures.
    public let name: String
    /// The subject's capabilities.
    public let capabilities: Set<Capability>
    /// The reasons for not conforming, by the name of the case.
    public let exclusions: [String: ConformanceExclusion]
    private let make: @Sendable (URL, Duration) throws -> any LocalStore

    /// Creates a subject.
    /// - Parameter make: creates an empty store; called for each case, with a new folder that is removed afterwards.
    ///   Use a long busy timeout, since a case may run on a slow machine.
    public init(
        _ name: String, capabilities: Set<Capability> = [], exclusions: [String: ConformanceExclusion] = [:],
        make: @escaping @Sendable (_ folder: URL) throws -> any LocalStore
    ) {
        self.init(name, capabilities, exclusions) { folder, _ in try make(folder) }
    }

    /// Creates a subject whose stores get a busy timeout, which some cases require.
    /// - Parameter makeWithTimeout: as for the other initializer; `busyTimeout` is the maximum wait of the store's
    ///   calls.
    public init(
        _ name: String, capabilities: Set<Capability> = [], exclusions: [String: ConformanceExclusion] = [:],
        makeWithTimeout: @escaping @Sendable (_ folder: URL, _ busyTimeout: Duration) throws -> any LocalStore
    ) {
        self.init(name, capabilities.union([.busyTimeout]), exclusions, makeWithTimeout)
    }

    private init(
        _ name: String, _ capabilities: Set<Capability>, _ exclusions: [String: ConformanceExclusion],
        _ make: @escaping @Sendable (URL, Duration) throws -> any LocalStore
    ) {
        self.name = name
        self.capabilities = capabilities
        self.exclusions = exclusions
        self.make = make
    }

    /// Creates an empty store.
    /// - Throws: what the factory throws.
    package func makeStore(
        in folder: URL, busyTimeout: Duration = longTimeout
    ) throws -> any LocalStore { try make(folder, busyTimeout) }

    /// A timeout that no case reaches, on a slow machine either.
    package static let longTimeout = Duration.seconds(3600)

    package var readsConcurrently: Bool { capabilities.contains(.concurrentReads) }

    /// Runs `body` with a new store that has the table ``StoreConformance/jacks``.
    package func run(busyTimeout: Duration = longTimeout, _ body: (any LocalStore) throws -> Void) throws {
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try makeStoreWithJacks(in: folder, busyTimeout)
        try body(store)
        try store.close()
    }

    /// As the other form, with a body that awaits.
    package func run(
        busyTimeout: Duration = longTimeout, _ body: (any LocalStore) async throws -> Void
    ) async throws {
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try makeStoreWithJacks(in: folder, busyTimeout)
        try await body(store)
        try store.close()
    }

    private static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func makeStoreWithJacks(in folder: URL, _ busyTimeout: Duration) throws -> any LocalStore {
        let store = try makeStore(in: folder, busyTimeout: busyTimeout)
        try store.createTable(StoreConformance.jacks)
        return store
    }
}
