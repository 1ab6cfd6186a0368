// A GPU that is not there: the part of libdrm that Mesa's drivers of phone GPUs call until a shader is
// compiled.
//
// Linked into a program with -rdynamic, these functions stand before libdrm's. The device is a sparse file in
// memory, so open(), stat() and mmap() of buffers work on it as they are, and a buffer is a range of it. What
// is submitted is accepted and dropped: nothing is executed. The environment's PHONE_GPU names a row of
// phones.def.
#define _GNU_SOURCE
#include <drm/drm.h>
#include <drm/msm_drm.h>
#include <drm/panfrost_drm.h>
#include <drm/v3d_drm.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum Kernel { MSM, PANFROST, PANTHOR, V3D };
static const char* const kKernelName[] = {"msm", "panfrost", "panthor", "v3d"};
static const int kKernelMinor[] = {12, 2, 2, 0};  // a version that the drivers accept

struct Phone {
  const char* name;
  enum Kernel kernel;
  uint64_t id;
  uint32_t old_id;
  uint32_t size_or_variant;
};
static const struct Phone kPhones[] = {
#define PHONE(name, kernel, id, old_id, size_or_variant) {name, kernel, id, old_id, size_or_variant},
#include "phones.def"
#undef PHONE
};

enum { kMaxBuffers = 65536 };
static const uint64_t kAddressBase = 0x100000000;
static const uint64_t kFirstOffset = 1 << 20;
static const off_t kFileSize = (off_t)1 << 57;  // panthor's register page is at 2^56

static const struct Phone* phone;
static char node[32];  // drivers keep 19 characters of it, which is enough for a small number
static struct {
  uint64_t offset;
  uint32_t flags;
} buffers[kMaxBuffers];
static uint32_t next_buffer = 1;
static uint64_t next_offset;
static uint32_t next_id = 1;

static void fail(const char* what) {
  fprintf(stderr, "drm_shim: %s\n", what);
  exit(2);
}

static void start(void) {
  if (phone != NULL) return;
  const char* name = getenv("PHONE_GPU");
  for (size_t i = 0; i < COUNT(kPhones); ++i) {
    if (name != NULL && strcmp(name, kPhones[i].name) == 0) phone = &kPhones[i];
  }
  if (phone == NULL) fail("PHONE_GPU names no GPU of phones.def");
  const int file = memfd_create("phone", 0);
  if (file < 0 || ftruncate(file, kFileSize) != 0) fail("no sparse file");
  snprintf(node, sizeof node, "/proc/self/fd/%d", file);
  next_offset = kFirstOffset;
}

// 0 when there are too many.
static uint32_t new_buffer(uint64_t size, uint32_t flags) {
  if (next_buffer >= kMaxBuffers) return 0;
  buffers[next_buffer].offset = next_offset;
  buffers[next_buffer].flags = flags;
  next_offset += (size + 0xffff) & ~(uint64_t)0xffff;
  return next_buffer++;
}

static int offset_of(uint32_t buffer, uint64_t* offset) {
  if (buffer == 0 || buffer >= next_buffer) return -ENOENT;
  *offset = buffers[buffer].offset;
  return 0;
}

// Adreno.

static int msm_param(struct drm_msm_param* p) {
  switch (p->param) {
    case 0x01:  // the id of old chips
      p->value = phone->old_id;
      return 0;
    case 0x02:  // bytes of on-chip memory
      p->value = (uint64_t)phone->size_or_variant << 10;
      return 0;
    case 0x03:  // the chip
      p->value = phone->id;
      return 0;
    case 0x04:  // highest clock
      p->value = 1000000000;
      return 0;
    case 0x06:  // address of on-chip memory
      p->value = 0x100000;
      return 0;
    case 0x07:  // priorities
      p->value = 3;
      return 0;
    case 0x05:  // time
    case 0x09:  // faults
    case 0x0a:  // suspends
    case 0x11:  // ray tracing
      p->value = 0;
      return 0;
    case 0x0e:  // first address
      p->value = kAddressBase;
      return 0;
    case 0x0f:  // bytes of address space
      p->value = 0x400000000;
      return 0;
    case 0x10:  // highest bank bit
      p->value = 15;
      return 0;
    case 0x12:  // swizzle of compressed images
      p->value = 6;
      return 0;
    case 0x13:  // tiles of images
      p->value = 1;
      return 0;
    default:
      return -EINVAL;
  }
}

static int msm_buffer_info(struct drm_msm_gem_info* info) {
  uint64_t offset;
  if (offset_of(info->handle, &offset) != 0) return -ENOENT;
  enum { kOffset = 0, kAddress = 1, kFlags = 5 };
  if (info->info == kOffset) info->value = offset;
  if (info->info == kAddress) info->value = kAddressBase + offset;
  if (info->info == kFlags) info->value = buffers[info->handle].flags;
  return 0;
}

static int msm(unsigned request, void* data) {
  switch (request) {
    case DRM_MSM_GET_PARAM:
      return msm_param(data);
    case DRM_MSM_GEM_NEW: {
      struct drm_msm_gem_new* made = data;
      made->handle = new_buffer(made->size, made->flags);
      return made->handle != 0 ? 0 : -ENOMEM;
    }
    case DRM_MSM_GEM_INFO:
      return msm_buffer_info(data);
    case DRM_MSM_SUBMITQUEUE_NEW:
      ((struct drm_msm_submitqueue*)data)->id = next_id++;
      return 0;
    case DRM_MSM_GEM_MADVISE:
      ((struct drm_msm_gem_madvise*)data)->retained = 1;
      return 0;
    default:
      return 0;
  }
}

// Mali up to the ninth architecture.

static int panfrost_param(struct drm_panfrost_get_param* p) {
  static const struct {
    uint64_t param, value;
  } kValues[] = {
      {DRM_PANFROST_PARAM_SHADER_PRESENT, 0xf},
      {DRM_PANFROST_PARAM_TILER_FEATURES, 0x809},
      {DRM_PANFROST_PARAM_MMU_FEATURES, 0x2830},
      {DRM_PANFROST_PARAM_MEM_FEATURES, 1},
      {DRM_PANFROST_PARAM_MAX_THREADS, 768},
      {DRM_PANFROST_PARAM_THREAD_FEATURES, 0x0a048000},
      {DRM_PANFROST_PARAM_TEXTURE_FEATURES0, ~0u},
      {DRM_PANFROST_PARAM_TEXTURE_FEATURES1, ~0u},
      {DRM_PANFROST_PARAM_TEXTURE_FEATURES2, ~0u},
      {DRM_PANFROST_PARAM_TEXTURE_FEATURES3, ~0u},
      {DRM_PANFROST_PARAM_THREAD_MAX_WORKGROUP_SZ, 384},
  };
  // Newer ones must fail, as on an older kernel: half an answer leaves no priority for queues.
  if (p->param > DRM_PANFROST_PARAM_AFBC_FEATURES) return -EINVAL;
  p->value = p->param == DRM_PANFROST_PARAM_GPU_PROD_ID ? phone->id : 0;
  for (size_t i = 0; i < COUNT(kValues); ++i) {
    if (kValues[i].param == p->param) p->value = kValues[i].value;
  }
  return 0;
}

static int panfrost(unsigned request, void* data) {
  switch (request) {
    case DRM_PANFROST_GET_PARAM:
      return panfrost_param(data);
    case DRM_PANFROST_CREATE_BO: {
      struct drm_panfrost_create_bo* made = data;
      made->handle = new_buffer(made->size, made->flags);
      if (made->handle == 0) return -ENOMEM;
      made->offset = 0x2000000 + buffers[made->handle].offset;  // the GPU's address
      return 0;
    }
    case DRM_PANFROST_MMAP_BO: {
      struct drm_panfrost_mmap_bo* map = data;
      uint64_t offset;
      if (offset_of(map->handle, &offset) != 0) return -ENOENT;
      map->offset = offset;
      return 0;
    }
    case DRM_PANFROST_MADVISE:
      ((struct drm_panfrost_madvise*)data)->retained = 1;
      return 0;
    default:
      return 0;
  }
}

// Mali from the tenth architecture on. Debian 12 has no header of this kernel driver, so its structures are
// here.

struct PanthorQuery {
  uint32_t type, size;
  uint64_t pointer;
};
struct PanthorGpu {
  uint32_t gpu_id, revision, firmware, l2, tiler, memory, mmu, thread, max_threads, max_workgroup,
      max_barrier;
  uint32_t coherency, texture[4], address_spaces, hole;
  uint64_t shader_cores, l2_present, tiler_present;
  uint32_t core_features, padding;
};

static int panthor_query(struct PanthorQuery* query) {
  struct PanthorGpu gpu = {.gpu_id = (uint32_t)phone->id << 16,
                           .firmware = 0x40a0412,
                           .l2 = 0x7120306,
                           .tiler = 0x809,
                           .memory = 0x301,
                           .mmu = 0x2830,
                           .thread = 0x4010000,
                           .max_threads = 2048,
                           .max_workgroup = 1024,
                           .max_barrier = 1024,
                           .texture = {0xc1ffff9e},
                           .address_spaces = 0xff,
                           .shader_cores = 0x50005,
                           .l2_present = 1,
                           .tiler_present = 1,
                           .core_features = phone->size_or_variant};
  uint32_t streams[6] = {8, 8, 96, 8, 4, 0};  // groups, streams, registers, scoreboards, kept registers
  uint64_t clock[3] = {1000000, 0, 0};
  uint8_t priorities[4] = {3};
  const struct {
    void* data;
    uint32_t size;
  } kAnswers[] = {{&gpu, sizeof gpu}, {streams, sizeof streams}, {clock, sizeof clock}, {priorities, 4}};
  if (query->type >= COUNT(kAnswers)) return -EINVAL;
  const uint32_t size = kAnswers[query->type].size;
  if (query->pointer == 0) {
    query->size = size;
    return 0;
  }
  memcpy((void*)(uintptr_t)query->pointer, kAnswers[query->type].data,
         query->size < size ? query->size : size);
  return 0;
}

static int panthor(unsigned request, void* data) {
  uint32_t* words = data;
  uint64_t* longs = data;
  uint64_t offset;
  switch (request) {
    case 0:
      return panthor_query(data);
    case 1:  // a virtual memory: id at byte 4, bytes of address space at 8
      words[1] = next_id++;
      if (longs[1] == 0) longs[1] = (uint64_t)1 << 47;
      return 0;
    case 4:  // its state at byte 4: usable
      words[1] = 0;
      return 0;
    case 5:  // a buffer: size at byte 0, flags at 8, handle at 16
      words[4] = new_buffer(longs[0], words[2]);
      return words[4] != 0 ? 0 : -ENOMEM;
    case 6:  // where to map it: handle at byte 0, offset at 8
      if (offset_of(words[0], &offset) != 0) return -ENOENT;
      longs[1] = offset;
      return 0;
    case 7:  // a group of queues: handle at byte 52
      words[13] = next_id++;
      return 0;
    case 10:  // its state at byte 4
      words[1] = 0;
      return 0;
    case 11:  // a heap: handle at byte 20, addresses at 24 and 32
      words[5] = next_id++;
      longs[3] = 0x10000000;
      longs[4] = 0x20000000;
      return 0;
    default:
      return 0;
  }
}

// Raspberry Pi 4 and 5.

static int v3d_param(struct drm_v3d_get_param* p) {
  switch (p->param) {
    case 0:  // memory interface
      p->value = 0x45;
      return 0;
    case 3:  // hub
      p->value = 0xe00;
      return 0;
    case 4:  // core: name and version
      p->value = (phone->id / 10) << 24 | 0x443356;
      return 0;
    case 5:  // core: sizes and revision
      p->value = 0x81001420 | phone->id % 10;
      return 0;
    case 7:   // texture unit
    case 8:   // compute
    case 9:   // cache flush
    case 11:  // several waits
    case 12:  // queue of the CPU
      p->value = 1;
      return 0;
    case 10:  // counters
      p->value = 0;
      return 0;
    default:
      return -EINVAL;
  }
}

static int v3d(unsigned request, void* data) {
  switch (request) {
    case DRM_V3D_GET_PARAM:
      return v3d_param(data);
    case DRM_V3D_CREATE_BO: {
      struct drm_v3d_create_bo* made = data;
      made->handle = new_buffer(made->size, 0);
      if (made->handle == 0) return -ENOMEM;
      made->offset = (uint32_t)buffers[made->handle].offset;
      return 0;
    }
    case DRM_V3D_MMAP_BO: {
      struct drm_v3d_mmap_bo* map = data;
      uint64_t offset;
      if (offset_of(map->handle, &offset) != 0) return -ENOENT;
      map->offset = offset;
      return 0;
    }
    default:
      return 0;
  }
}

static int command(unsigned request, void* data) {
  static int (*const kHandlers[])(unsigned, void*) = {msm, panfrost, panthor, v3d};
  return kHandlers[phone->kernel](request, data);
}

// libdrm's interface.

struct Device {
  char** nodes;
  int available_nodes, bus;
  void* bus_info;
  void* device_info;
};
struct Version {
  int major, minor, patch, name_length;
  char* name;
  int date_length;
  char* date;
  int description_length;
  char* description;
};

int drmGetDevices2(uint32_t flags, struct Device** out, int most) {
  (void)flags;
  start();
  if (out == NULL || most < 1) return 1;
  static char* compatible[1];
  static struct {
    char** compatible;
  } info = {compatible};
  static uint64_t bus_info[64];
  static char* nodes[] = {node, NULL, node};
  static struct Device device = {nodes, 1 << 2 /* a render node */, 2 /* platform */, bus_info, &info};
  *out = &device;
  return 1;
}
void drmFreeDevice(struct Device** device) { *device = NULL; }
void drmFreeDevices(struct Device** devices, int count) { (void)devices, (void)count; }

struct Version* drmGetVersion(int file) {
  (void)file;
  start();
  static struct Version version;
  version = (struct Version){.major = 1, .minor = kKernelMinor[phone->kernel], .date = "", .description = ""};
  version.name = (char*)kKernelName[phone->kernel];
  version.name_length = (int)strlen(version.name);
  return &version;
}
void drmFreeVersion(struct Version* version) { (void)version; }

int drmCommandWriteRead(int file, unsigned long request, void* data, unsigned long size) {
  (void)file, (void)size;
  return command((unsigned)request, data);
}
int drmCommandWrite(int file, unsigned long request, void* data, unsigned long size) {
  (void)file, (void)size;
  return command((unsigned)request, data);
}
int drmIoctl(int file, unsigned long request, void* data) {
  (void)file;
  const unsigned number = request & 0xff;
  if (number < DRM_COMMAND_BASE || number >= DRM_COMMAND_END) return 0;
  const int result = command(number - DRM_COMMAND_BASE, data);
  if (result == 0) return 0;
  errno = -result;
  return -1;
}
int drmCloseBufferHandle(int file, uint32_t buffer) {
  (void)file, (void)buffer;
  return 0;
}
int drmGetCap(int file, uint64_t capability, uint64_t* value) {
  (void)file, (void)capability;
  *value = 1;
  return 0;
}

// Of fences: every one is signalled.

int drmSyncobjCreate(int file, uint32_t flags, uint32_t* fence) {
  (void)file, (void)flags;
  *fence = next_id++;
  return 0;
}
int drmSyncobjDestroy(int file, uint32_t fence) {
  (void)file, (void)fence;
  return 0;
}
int drmSyncobjWait(int file, uint32_t* fences, unsigned count, int64_t time, unsigned flags,
                   uint32_t* first) {
  (void)file, (void)fences, (void)count, (void)time, (void)flags;
  if (first != NULL) *first = 0;
  return 0;
}
int drmSyncobjReset(int file, const uint32_t* fences, uint32_t count) {
  (void)file, (void)fences, (void)count;
  return 0;
}
