public import Foundation

/// The folder of the programs that were built with the tests.
public enum BuiltProducts {
    /// Beside the test bundle, where tests are loaded from one, as on macOS; else beside the program that runs them.
    public static var folder: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let program = bundle?.bundleURL ?? URL(filePath: CommandLine.arguments[0])
        return program.deletingLastPathComponent()
    }
}
