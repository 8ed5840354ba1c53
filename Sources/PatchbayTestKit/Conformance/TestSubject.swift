/// Something under test by a conformance suite: a ``ConformanceSubject`` or, of the module
/// `StoreTestKit`, a `StoreSubject`.
public protocol TestSubject: Sendable, CustomStringConvertible {
    /// An optional property of subjects that some cases require.
    associatedtype Capability: Hashable, Sendable, CustomStringConvertible

    /// The name in failures.
    var name: String { get }
    /// The subject's capabilities.
    var capabilities: Set<Capability> { get }
    /// The reasons for not conforming, by the name of the case.
    var exclusions: [String: ConformanceExclusion] { get }
}

extension TestSubject {
    /// The name.
    public var description: String { name }
}
