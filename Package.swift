// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Patchbay",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "HTTPMessages", targets: ["HTTPMessages"]),
        .library(name: "Transport", targets: ["Transport"]),
        .library(name: "ResponseDecoding", targets: ["ResponseDecoding"]),
    ],
    targets: [
        // Layer 0
        .target(name: "HTTPMessages"),
        // Layer 1
        .target(name: "Transport", dependencies: ["HTTPMessages"]),
        .target(name: "ResponseDecoding", dependencies: ["HTTPMessages"]),
        // Tests
        .testTarget(name: "HTTPMessagesTests", dependencies: ["HTTPMessages"]),
        .testTarget(name: "ResponseDecodingTests", dependencies: ["ResponseDecoding", "HTTPMessages"]),
    ]
)

for target in package.targets {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
    ]
}
