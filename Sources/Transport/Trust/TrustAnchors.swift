/// The authorities that may issue certificates of servers, for every transport.
///
/// ```swift
/// options.trustAnchors = .only(.file(URL(filePath: "/etc/my-app/ca.pem")))
/// ```
///
/// In an app, App Transport Security may demand an authority of the system in addition.
@nonexhaustive public enum TrustAnchors: Hashable, Sendable {
    /// The system's authorities.
    case system
    /// These authorities, and no others.
    case only(Certificates)
    /// These authorities, and those of the system.
    case additional(Certificates)
}
