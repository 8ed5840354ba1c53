import Foundation

extension String {
    /// The bytes by which the file system tells names and paths apart: Apple's compares characters, others bytes.
    package var fileNameBytes: [UInt8] {
        #if canImport(Darwin)
            Array(precomposedStringWithCanonicalMapping.utf8)
        #else
            Array(utf8)
        #endif
    }
}
