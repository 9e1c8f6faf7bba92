// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, so that what is compared with never burdens those who link the library.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(name: "LevelKit", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CRawLevelDB"),
        .executableTarget(
            name: "bench",
            dependencies: ["CRawLevelDB", "Harness", .product(name: "LevelKit", package: "LevelKit")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "core",
            dependencies: [
                .product(name: "DocIndex", package: "LevelKit"), .product(name: "LevelKit", package: "LevelKit"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        // What comparisons of whole stores have in common: records, costs, lines of a table.
        .target(name: "Harness", swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "docbench",
            dependencies: [
                "Harness",
                .product(name: "DocIndex", package: "LevelKit"), .product(name: "LevelKit", package: "LevelKit"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "querybench",
            dependencies: [
                "Harness",
                .product(name: "DocIndex", package: "LevelKit"), .product(name: "LevelKit", package: "LevelKit"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        // Puts what the programs measured into one table, and two tables beside each other.
        .executableTarget(
            name: "report", dependencies: ["Harness"], swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "textbench",
            dependencies: [
                "Harness",
                .product(name: "DocIndex", package: "LevelKit"), .product(name: "LevelKit", package: "LevelKit"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
