/// The public suffix list of the system's libpsl, with the types of `libpsl.h`.
package struct PublicSuffixFunctions: Sendable {
    private typealias Latest = @convention(c) @Sendable (_ file: UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias IsPublicSuffix =
        @convention(c) @Sendable (_ list: OpaquePointer?, _ domain: UnsafePointer<CChar>) -> CInt

    private struct List: @unchecked Sendable {
        // Only read after it is loaded, and never released.
        let pointer: OpaquePointer
    }

    private let list: List
    private let isPublicSuffix: IsPublicSuffix

    /// The list of the system, loaded once: the newer one of the library's own and the system's file.
    package static let system = Result { () throws(SystemLibraryError) in try load() }

    static func load(from name: String = libraryName) throws(SystemLibraryError) -> PublicSuffixFunctions {
        let library = try DynamicLibrary(name)
        let latest = try library.function("psl_latest", as: Latest.self)
        let isPublicSuffix = try library.function("psl_is_public_suffix", as: IsPublicSuffix.self)
        guard let pointer = latest(nil) else {
            throw SystemLibraryError(
                .failed, library: library.name, "libpsl has no public suffix list; install the package publicsuffix.")
        }
        return PublicSuffixFunctions(list: List(pointer: pointer), isPublicSuffix: isPublicSuffix)
    }

    #if canImport(Darwin)
        static let libraryName = "libpsl.5.dylib"
    #else
        static let libraryName = "libpsl.so.5"
    #endif

    /// True for a public suffix.
    /// - Parameter domain: in lower case and ASCII, without a leading dot.
    package func contains(_ domain: String) -> Bool { isPublicSuffix(list.pointer, domain) == 1 }
}
