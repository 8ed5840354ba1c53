public import Foundation

/// The executables built with the tests, for tests that run them.
public enum BuiltProducts {
    /// The file of an executable.
    public static func url(of name: String) -> URL {
        let bundles = Bundle.allBundles.map(\.bundlePath)
        return folder(arguments: CommandLine.arguments, bundles: bundles).appending(path: name)
    }

    /// True if the tests with an executable have to run: it is built, or `CI` is true, so that they fail without it.
    public static func contains(_ name: String) -> Bool {
        ProcessInfo.processInfo.environment["CI"] == "true"
            || FileManager.default.isExecutableFile(atPath: url(of: name).path)
    }

    /// The folder of the test bundle if there is one, as on macOS; else of the running executable.
    ///
    /// XCTest loads the bundle, so that the process knows it. The helper of Swift Testing only loads the executable in
    /// the bundle, and has its path as an argument.
    static func folder(arguments: [String], bundles: [String]) -> URL {
        let suffix = ".xctest"
        let argument = arguments.lazy.compactMap { argument in
            argument.range(of: suffix + "/Contents/").map { argument[..<$0.lowerBound] + suffix }
        }.first
        let bundle = argument.map(String.init) ?? bundles.first { $0.hasSuffix(suffix) }
        return URL(filePath: bundle ?? arguments[0]).deletingLastPathComponent()
    }
}
