import Foundation

/// Where a builder keeps its request type between launches.
public struct SDMRequestTypeStorage: Sendable {
    /// Returns the stored number; nil if there is none.
    public var load: @Sendable () -> Int?
    /// Stores a number.
    public var save: @Sendable (Int) -> Void

    /// Creates a storage of closures, which are called on any thread.
    public init(load: @escaping @Sendable () -> Int?, save: @escaping @Sendable (Int) -> Void) {
        self.load = load
        self.save = save
    }

    /// `UserDefaults`, under ``SDMConnectivityRequestTypeKey``.
    /// - Parameter suiteName: another domain than that of the app, such as an app group's; default nil.
    public static func userDefaults(suiteName: String? = nil) -> SDMRequestTypeStorage {
        SDMRequestTypeStorage {
            let defaults = suiteName.map { UserDefaults(suiteName: $0) } ?? .standard
            return (defaults?.object(forKey: SDMConnectivityRequestTypeKey) as? NSNumber)?.intValue
        } save: { number in
            let defaults = suiteName.map { UserDefaults(suiteName: $0) } ?? .standard
            defaults?.set(number, forKey: SDMConnectivityRequestTypeKey)
        }
    }
}
