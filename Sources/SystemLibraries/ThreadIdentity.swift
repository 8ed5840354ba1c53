#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Which thread this is. Equal on the same thread; another thread may be given it only after this one has ended.
package struct ThreadIdentity: Hashable, Sendable {
    private let bits: UInt

    /// The thread that calls.
    package static var current: ThreadIdentity {
        // A number on one system and a pointer on another, of the same size.
        withUnsafeBytes(of: pthread_self()) { ThreadIdentity(bits: $0.loadUnaligned(as: UInt.self)) }
    }
}
