import CCurl
import Glibc

/// A shared library, loaded by its file name and never unloaded.
struct SharedLibrary {
    private let handle: UnsafeMutableRawPointer
    private let name: String

    /// Loads a library, unless it is loaded already.
    /// - Returns: nil when it is missing.
    init?(_ name: String) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
        self.handle = handle
        self.name = name
    }

    /// The function of a symbol.
    /// - Parameter type: a `@convention(c)` function type, which is not checked.
    /// - Throws: ``CurlError`` (`missingFunction`).
    func function<Function>(_ symbol: String, as type: Function.Type = Function.self) throws(CurlError) -> Function {
        guard let address = dlsym(handle, symbol) else {
            throw CurlError(
                .missingFunction, "Undefined symbol \(symbol) in \(name); install the version that this system ships.")
        }
        return unsafeBitCast(address, to: type)
    }
}
