#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// A shared library that was loaded by its file name. It stays loaded until the process ends.
package struct DynamicLibrary {
    package let name: String
    private let handle: UnsafeMutableRawPointer

    /// Loads a library, or finds it when it is loaded already.
    /// - Parameter isIsolated: true when the library must call its own functions, also where one loaded before has some
    ///   of the same names. Not every system needs or can do that.
    package init(_ name: String, isIsolated: Bool = false) throws(SystemLibraryError) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | (isIsolated ? Self.isolating : 0)) else {
            throw SystemLibraryError(
                .missingLibrary, library: name,
                "The library \(name) cannot be loaded; install the system's package that contains it.")
        }
        self.name = name
        self.handle = handle
    }

    #if canImport(Glibc)
        private static let isolating = RTLD_DEEPBIND
    #else
        private static let isolating: CInt = 0
    #endif

    /// A function of the library.
    /// - Parameter type: a `@convention(c)` function type; that it is the right one cannot be checked.
    package func function<Function>(_ symbol: String, as type: Function.Type = Function.self) throws(SystemLibraryError)
        -> Function
    {
        guard let address = dlsym(handle, symbol) else {
            throw SystemLibraryError(
                .missingFunction, library: name,
                "The library \(name) has no function \(symbol); install the version that this system ships.")
        }
        return unsafeBitCast(address, to: type)
    }
}
