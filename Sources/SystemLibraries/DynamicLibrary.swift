#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Shared library loaded by its file name; it is never unloaded.
package struct DynamicLibrary {
    package let name: String
    private let handle: UnsafeMutableRawPointer

    /// Loads a library, unless it is already loaded.
    /// - Parameter isIsolated: true if the library must resolve symbols in itself before libraries loaded earlier
    ///   (`RTLD_DEEPBIND`, glibc only).
    package init(_ name: String, isIsolated: Bool = false) throws(SystemLibraryError) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | (isIsolated ? Self.isolating : 0)) else {
            throw SystemLibraryError(
                .missingLibrary, library: name,
                "Cannot load shared library \(name); install the system package that contains it.")
        }
        self.name = name
        self.handle = handle
    }

    #if canImport(Glibc)
        /// A sanitizer ends the process for this flag: its functions have to come before those of the library.
        private static let isolating = isUnderSanitizer ? 0 : RTLD_DEEPBIND
        private static let isUnderSanitizer = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    #else
        private static let isolating: CInt = 0
    #endif

    /// Looks up a function by its symbol.
    /// - Parameter type: a `@convention(c)` function type, which is not checked.
    package func function<Function>(_ symbol: String, as type: Function.Type = Function.self) throws(SystemLibraryError)
        -> Function
    {
        unsafeBitCast(try address(of: symbol), to: type)
    }

    /// Returns the address of a function.
    package func address(of symbol: String) throws(SystemLibraryError) -> UnsafeMutableRawPointer {
        guard let address = dlsym(handle, symbol) else {
            throw SystemLibraryError(
                .missingFunction, library: name,
                "Undefined symbol \(symbol) in \(name); install the version that this system ships.")
        }
        return address
    }
}
