import HTTPMessages

/// A feature that a request may ask for, and that only some engines have.
@nonexhaustive public enum EngineFeature: Hashable, Sendable {
    /// ``HTTPMessages/RequestOptions/upgradeProtocol``.
    case upgrades
    /// ``HTTPMessages/RequestOptions/unixSocketPath``.
    case unixSockets
    /// ``HTTPMessages/RequestOptions/nameOverrides``.
    case nameOverrides
    /// ``HTTPMessages/RequestOptions/httpVersion`` with this value.
    case httpVersion(HTTPVersionPreference)
    /// ``HTTPMessages/RequestOptions/continueTimeout``.
    case expectations
    /// ``HTTPMessages/RequestOptions/trailers``.
    case requestTrailers
    /// The connect timeout of a request (`timeouts.connect`).
    case connectTimeout

    /// The option, for an error.
    var option: String {
        switch self {
        case .upgrades: "upgradeProtocol"
        case .unixSockets: "unixSocketPath"
        case .nameOverrides: "nameOverrides"
        case .httpVersion(let version): "httpVersion = .\(version.rawValue)"
        case .expectations: "continueTimeout"
        case .requestTrailers: "trailers"
        case .connectTimeout: "timeouts.connect"
        }
    }
}

extension HTTPRequest {
    /// The features that the request needs.
    var engineFeatures: [EngineFeature] {
        var features: [EngineFeature] = []
        if options.upgradeProtocol != nil { features.append(.upgrades) }
        if options.unixSocketPath != nil { features.append(.unixSockets) }
        if !options.nameOverrides.isEmpty { features.append(.nameOverrides) }
        if options.trailers != nil { features.append(.requestTrailers) }
        if expectsContinue { features.append(.expectations) }
        if options.timeouts.connect != nil { features.append(.connectTimeout) }
        if let httpVersion = options.httpVersion { features.append(.httpVersion(httpVersion)) }
        return features
    }
}
