import Coordination
import Foundation
public import PatchbayErrors
import SQLiteStore
import StoreCore
public import Transport

/// Client of a HyperHive server (Foresight Mobile Platform): resources, their deltas in a local database, transactions.
///
/// ```swift
/// let hive = HyperHive(HyperHiveConfiguration(
///     host: "https://fmp.example.com", environment: "work", project: "shop", device: deviceID))
/// try await hive.signIn("north", password: password)
/// let database = try hive.openDatabase("shop.sqlite")
/// try await hive.loadResources(into: "shop.sqlite")
/// let sync = try await hive.syncDelta("FRUITS", into: "shop.sqlite")
/// let fruits = try database.rows(as: Fruit.self, "SELECT * FROM FRUITS_output_table")
/// ```
///
/// All functions throw ``HyperHiveError``, whose ``HyperHiveError/result`` is the vendor's envelope. Cancelling the
/// task cancels the call. ``HHFWController`` has the vendor's names. Thread-safe.
public final class HyperHive: Sendable {
    /// Path of the database that is used when none is named: `hyperhive.sqlite` in the documents folder.
    ///
    /// It is opened without a key at its first use, unless the app has opened it. Calls that use it meanwhile wait.
    /// After the app has opened it with a key, also without success, only the app opens it.
    public static let defaultDatabase = "hyperhive.sqlite"

    let session: ClientSession
    let databases: DatabaseRegistry
    let stack: HyperHiveStack
    let wire: any HyperHiveWire
    let clock: AnyMonotonicClock

    /// Creates a client.
    /// - Parameters:
    ///   - configuration: server and device; nil to call ``configure(_:)`` later.
    ///   - transport: sends the requests; default the network. It must not follow redirects: the client does, and it
    ///     retries.
    ///   - wire: makes the requests.
    ///   - clock: measures the time before retries.
    public init(
        _ configuration: HyperHiveConfiguration? = nil, transport: some Transport = URLSessionTransport.shared,
        wire: some HyperHiveWire = FMPWire(), options: HyperHiveOptions = HyperHiveOptions(),
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        session = ClientSession(ClientState(configuration: configuration, options: options))
        stack = AnyTransport(transport).hyperHiveLayers(clock: clock)
        self.wire = wire
        self.clock = AnyMonotonicClock(clock)
        databases = DatabaseRegistry(
            documents: options.documentsFolder ?? DatabaseRegistry.userDocuments, automatic: Self.defaultDatabase,
            opener: options.openStore ?? DatabaseRegistry.openStore)
    }

    /// The settings. A change affects later calls; those of databases cannot be changed.
    public var options: HyperHiveOptions {
        get { session.read(\.options) }
        set { session.change { $0.options = newValue } }
    }

    /// The configuration; nil before ``configure(_:)``.
    public var configuration: HyperHiveConfiguration? { session.read(\.configuration) }

    /// Replaces the configuration, and drops the token.
    ///
    /// Calls in flight keep the earlier one; loads into a database are cancelled if the new one differs.
    public func configure(_ configuration: HyperHiveConfiguration) { session.configure(configuration) }
}

extension HyperHive: RedactedStringConvertible {
    /// The server, and whether the client is signed in.
    public var description: String {
        "HyperHive client of \(configuration?.redactedHost ?? "no server"), \(isSignedIn ? "signed in" : "not signed in")"
    }
}
