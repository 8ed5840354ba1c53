public import Foundation

/// The folder of the executables built with the tests.
public enum BuiltProducts {
    /// The folder of the test bundle if there is one, as on macOS; else of the running executable.
    public static var folder: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let program = bundle?.bundleURL ?? URL(filePath: CommandLine.arguments[0])
        return program.deletingLastPathComponent()
    }
}
