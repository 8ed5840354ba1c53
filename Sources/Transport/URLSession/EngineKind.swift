/// The networking library below URLSession, which determines its errors.
enum EngineKind: CaseIterable, Sendable {
    /// libcurl, on Linux.
    case libcurl
    /// CFNetwork, on Apple's platforms.
    case cfNetwork

    /// The library of this platform.
    static var current: EngineKind {
        #if canImport(Darwin)
            .cfNetwork
        #else
            .libcurl
        #endif
    }
}
